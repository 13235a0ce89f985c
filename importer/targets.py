"""Import targets for models with a DRF serializer.

``SerializerTarget`` only needs a model with ``ImportMarked``; columns named
``modified``, ``is_deleted`` and ``version`` are used if the model has them. The other
public names serve a project's own targets and wire serializers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from importer.columns import is_deleted
from importer.cursors import prepared_cursor
from importer.describe import unique_names, unique_sets
from importer.live_rows import (
    ReferenceColumn,
    RowReference,
    key_share,
    lock_row,
    not_live,
    reference_columns,
    references_of,
    require_live,
)
from importer.lookups import as_parameter
from importer.models import ImportMarked
from importer.models.mark import MARK_FIELDS, put_mark
from importer.package.fields import Applies, SourceSpec, TargetSpec
from importer.package.item_result import LastChange
from importer.package.shapes import Mark, Problem, Refusal
from importer.package.tokens import Moment
from importer.pipeline.ports import RowLookup, Stale, StaleReference, Write
from importer.pipeline.row_numbers import key_of, number_of
from importer.prepared import Draft, authorise, validated
from importer.reference_field import ReferenceField
from importer.referrers import WayToRefer, referrers, relations_to
from importer.sentences import FILE as FILE_MESSAGES, naming
from importer.serializers import (
    LinesField,
    WireSerializer,
    borrowed,
    flatten,
    reference_name,
    wire_name,
)
from importer.strict import StrictSerializer
from importer.wire_fields import (
    BooleanField,
    ChoiceField,
    DateField,
    DateTimeField,
    DecimalField,
    EmailField,
    IntegerField,
    ListField,
    NumberField,
    TextField,
    UUIDField,
)
from importer.writing import RowWriter

__all__ = [
    "FILE_MESSAGES",
    "MARK_FIELDS",
    "Applies",
    "BooleanField",
    "ChoiceField",
    "DateField",
    "DateTimeField",
    "DecimalField",
    "Draft",
    "EmailField",
    "ImportMarked",
    "IntegerField",
    "LastChange",
    "LinesField",
    "ListField",
    "NumberField",
    "ReferenceColumn",
    "ReferenceField",
    "RowLookup",
    "RowReference",
    "SerializerTarget",
    "SourceSpec",
    "Stale",
    "StaleReference",
    "StrictSerializer",
    "TargetSpec",
    "TextField",
    "UUIDField",
    "WayToRefer",
    "WireSerializer",
    "Write",
    "as_parameter",
    "authorise",
    "borrowed",
    "flatten",
    "key_share",
    "lock_row",
    "naming",
    "not_live",
    "prepared_cursor",
    "put_mark",
    "reference_columns",
    "reference_name",
    "references_of",
    "relations_to",
    "require_live",
    "unique_names",
    "unique_sets",
    "validated",
    "wire_name",
]


class SerializerTarget(RowWriter):
    """The rows of a plain model, read and written through its serializer."""

    def deleted_row(self, code: Any) -> Any | None:
        """Return the deleted row that had a code last, with one query."""
        if not self.columns.deleted:
            return None
        wanted = {self.columns.deleted: True, self._sources[self.spec.code]: code}
        return self._all.filter(**wanted).order_by("-pk").first()

    def copy_of(
        self, source: str, row: Any, user: Any, moment: Moment
    ) -> dict[str, Any]:
        """Raise LookupError: plain models can't be created from other rows."""
        raise LookupError

    def filtered(self, query: Mapping[str, str]) -> QuerySet[Any]:
        """Return the rows that filters of lists leave; raise Refusal for wrong ones.

        Plain models have no such filters.
        """
        for name in query:
            sentence = _("%(rows)s have no filters.") % {"rows": self.name}
            raise Refusal([Problem(name, sentence, "unknown-parameter")])
        return self._all

    def name_of(self, row: Any) -> str:
        """Return the code and the name of a row, as far as it has them."""
        texts = (getattr(row, column) or "" for column in self._naming if column)
        return " ".join(map(str, texts)).strip()

    def last_changes(self, row_ids: Sequence[int]) -> Mapping[int, LastChange]:
        """Return when rows changed last; plain models don't record who changed them."""
        column = self.columns.modified
        if not column:
            return {}
        keys = [key_of(row_id) for row_id in row_ids]
        found = self._all.filter(pk__one_of=keys).values_list("pk", column)
        return {number_of(key): LastChange(None, at) for key, at in found}

    def load_simulation(self, writes: Sequence[Write], lookup: RowLookup) -> None:
        """Load nothing: plain models are not submitted."""

    def simulate(self, prepared: Any, lookup: RowLookup) -> str:
        """Return nothing to report: saving refuses nothing more and draws no code."""
        return ""

    def write(self, draft: Draft, mark: Mark | None) -> None:
        """Write the row inside the transaction; raise Stale if it has changed."""
        row, now = draft.row, timezone.now()
        if self.columns.deleted in draft.columns and is_deleted(row):
            self._refuse_if_used(row)
        moves = bool(self.columns.modified) and not draft.idle
        if moves:
            setattr(row, self.columns.modified, now)
        if mark is not None:
            put_mark(row, mark, self.modified(row) or now)
        if draft.before is None:
            row.pk = None
            row.save(force_insert=True)
        else:
            self._update(draft)
        # After the write, because SQLite takes the writer's lock only then.
        require_live(self._changed_references(draft))
        if moves and mark is not None:
            self._follow(row)

    def _refuse_if_used(self, row: Any) -> None:
        """Lock a row that is being deleted; raise Refusal if live rows refer to it."""
        lock_row(row)
        found = referrers(self.ways_to_refer([row.pk]), [row.pk], ())
        if models := [model for _key, model, _other in found]:
            raise Refusal([Problem("", self.in_use(models), "row-in-use")])

    def _changed_references(self, draft: Draft) -> list[RowReference]:
        """Return the changed references of a live row, all if the row becomes live."""
        before, row = draft.before, draft.row
        if is_deleted(row):
            return []
        found = references_of(row, self._references)
        if before is None or draft.order.restore:
            return found
        kept = references_of(before, self._references)
        return [each for each in found if each not in kept]

    def _follow(self, row: Any) -> None:
        """Set the time of the mark to that of a row with ``auto_now``."""
        modified = self.modified(row)
        if modified != row.import_imported_at:
            rows = self.model._base_manager.filter(pk=row.pk)
            rows.update(import_imported_at=modified)

    def _update(self, draft: Draft) -> None:
        """Update the changed columns if the row hasn't changed since the decision."""
        row, version = draft.row, draft.order.version
        where = Q(pk=row.pk)
        names = {*draft.columns, *MARK_FIELDS}
        if self.columns.version and version is not None:
            where &= Q(**{self.columns.version: version})
            setattr(row, self.columns.version, version + 1)
            names.add(self.columns.version)
        if self.columns.modified and not draft.idle:
            names.add(self.columns.modified)
        if self.columns.deleted:
            names.add(self.columns.deleted)
        locked = self._all.select_for_update().filter(where).exists()
        if not locked:
            raise Stale
        row.save(update_fields=names)
