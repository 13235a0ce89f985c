"""A model and its DRF serializer as an import target: the ORM begins here.

``SerializerTarget`` needs nothing but a model with ``ImportMarked``; columns called
``modified``, ``is_deleted`` and ``version`` are used where a model has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from django.db import (
    DataError,
    IntegrityError,
    models,
    router,
    transaction,
)
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from importer import registry
from importer.describe import fields_of, title_of, unique_names
from importer.mark_query import MarkQuery
from importer.models.mark import MARK_FIELDS, mark_columns, put_mark
from importer.owners import taken_by, with_owners
from importer.package.fields import TargetSpec
from importer.package.shapes import Mark, Problem, Refusal
from importer.package.tokens import Moment
from importer.pipeline.ports import Look, Stale, Write
from importer.pipeline.values import Sighting
from importer.prepared import (
    Draft,
    ModelLook,
    authorise,
    changed_names,
    validated,
    write_mark,
)
from importer.serializers import Serializer, borrowed, flatten


class SerializerTarget:
    """Read and write the rows of one model through its serializer."""

    def __init__(
        self,
        model: type[models.Model],
        serializer: type[Serializer],
        *,
        name: str,
        kind: str = "dictionary",
        code: str = "code",
    ) -> None:
        self.model, self.serializer = model, serializer
        self.name, self.kind = name, kind
        self._code = code
        columns = {field.name for field in model._meta.concrete_fields}
        self._has_modified = "modified" in columns
        self._has_deleted = "is_deleted" in columns
        self._has_version = "version" in columns

    @cached_property
    def _bound(self) -> Serializer:
        return self.serializer()

    @cached_property
    def _sources(self) -> dict[str, str]:
        """Return the model attribute behind each property."""
        return {name: str(f.source) for name, f in self._bound.fields.items()}

    @cached_property
    def spec(self) -> TargetSpec:
        """Return the description of the target."""
        return self.describe()

    def describe(self) -> TargetSpec:
        """Make the description of the target from its serializer."""
        fields = fields_of(self._bound, registry.target_name)
        names = {field.name for field in fields}
        chains = [f.name for f in fields if f.to == self.name]
        return TargetSpec(
            name=self.name,
            kind=self.kind,
            fields=fields,
            code=self._code if self._code in names else "",
            unique=unique_names(self._bound.fields, self.model),
            chain=chains[0] if chains else "",
            title=title_of(self.model),
        )

    # -- looking up ----------------------------------------------------------------

    @property
    def _all(self) -> models.QuerySet[Any]:
        # Unordered: a look-up gains nothing from the order people like.
        return self.model._base_manager.order_by()

    @property
    def _live(self) -> models.QuerySet[Any]:
        return self._all.filter(is_deleted=False) if self._has_deleted else self._all

    def marked(self, source: str, keys: Sequence[str]) -> dict[str, Sighting]:
        """Return what carries the mark of a package, by object id: one query."""
        return self._marks(source, keys)

    @cached_property
    def _marks(self) -> MarkQuery:
        submitted = self.spec.submitted
        return MarkQuery(self._all, self._sources[submitted] if submitted else "")

    def live(self, name: str, values: Sequence[Any]) -> list[tuple[Any, int]]:
        """Return (value, key) of the live rows with one of the values: one query."""
        column = self._sources[name]
        found = self._live.filter(**{f"{column}__one_of": values})
        return list(found.values_list(column, "pk"))

    def unmarked(
        self, names: Sequence[str], columns: Sequence[Sequence[Any]]
    ) -> list[tuple[tuple[Any, ...], int]]:
        """Return (values, key) of live rows without a mark: one query."""
        sources = [self._sources[name] for name in names]
        wanted = Q(import_key__isnull=True)
        for source, values in zip(sources, columns, strict=True):
            wanted &= Q(**{f"{source}__one_of": values})
        found = self._live.filter(wanted).order_by("pk").values_list(*sources, "pk")
        return [(tuple(row[:-1]), row[-1]) for row in found]

    def rows(self, row_ids: Sequence[int]) -> dict[int, Any]:
        """Return rows by their keys, deleted ones included: one query."""
        return {row.pk: row for row in self._all.filter(pk__one_of=row_ids)}

    def chain(self, row: Any) -> int | None:
        """Return the key of a row's parent in the same table."""
        parent: int | None = self.row_values(row, [self.spec.chain])[0]
        return parent

    def typed(self, name: str, value: Any) -> Any:
        """Return a wire value as rows hold it, or None where it is not valid."""
        if value is None or name not in self._sources or isinstance(value, dict):
            return None
        if self.spec.field(name).to:
            return value
        try:
            typed = self._bound.fields[name].to_internal_value(value)
            if type(typed) is int:
                # Not every database can be asked for any whole number.
                with borrowed(self.serializer) as lent:
                    lent.fields[name].run_validators(typed)
        except ValidationError:
            return None
        return typed

    def row_values(self, row: Any, names: Sequence[str]) -> tuple[Any, ...]:
        """Return what a row holds in some properties."""
        attributes = (self._attribute(name) for name in names)
        return tuple(getattr(row, attribute) for attribute in attributes)

    def _attribute(self, name: str) -> str:
        return self._attributes[self._sources[name]]

    @cached_property
    def _attributes(self) -> dict[str, str]:
        """Return the attribute of a row's own column, by field name and by itself."""
        fields = self.model._meta.concrete_fields
        by_name = {field.name: field.attname for field in fields}
        return by_name | {field.attname: field.attname for field in fields}

    def version(self, row: Any) -> int | None:
        """Return the version of a row, None where rows have none."""
        return row.version if self._has_version else None

    def lines(self, row_ids: Sequence[int]) -> dict[int, int]:
        """Return nothing: such rows have no lines."""
        return {}

    # -- writing -------------------------------------------------------------------

    def copy_of(
        self, source: str, row: Any, user: Any, moment: Moment
    ) -> dict[str, Any]:
        """Refuse: a plain model is created from nothing."""
        raise LookupError

    def foretell(
        self, row: Any, drawn: dict[Any, Any], taken: Callable[[str], bool]
    ) -> None:
        """Do nothing: what a plain model gets by being saved nobody refers to."""

    def prepare(self, order: Write, look: Look) -> Draft:
        """Authorise and validate a write, reading only; ObjectError if refused."""
        authorise(order.user, self.model, "add" if order.row is None else "change")
        attrs: dict[str, Any] = {}
        if order.values is not None:
            context = {"look": ModelLook(look)}
            attrs = validated(
                self.serializer, order.values, row=order.row, context=context
            )
        draft = Draft.of(self.model, order, attrs)
        if order.restore and self._has_deleted:
            draft.row.is_deleted = False
        self._check_unique(draft, look)
        changed = changed_names(draft, self._sources)
        draft.changes.update(changed if order.row is not None else {})
        return draft

    def _check_unique(self, draft: Draft, look: Look) -> None:
        names = self.spec.unique
        row_of = partial(look.row, self.name)
        for name, value in zip(names, self.row_values(draft.row, names), strict=True):
            if value is None or value == "":
                continue
            holders = look.holders(self.name, name, value)
            problem = taken_by(draft, name, value, holders, self.name, row_of)
            if problem is not None:
                raise Refusal([problem])

    def commit(self, prepared: Any, mark: Mark | None) -> int:
        """Write in one transaction and return the row's key; Stale or ObjectError."""
        draft: Draft = prepared
        if mark is not None and draft.only_marks:
            # The time of the row's last change: a user's is always later than that.
            at = draft.row.modified if self._has_modified else timezone.now()
            write_mark(draft, mark_columns(mark, at))
            return int(draft.row.pk)
        try:
            with transaction.atomic(router.db_for_write(self.model)):
                return self._write(draft, mark)
        except IntegrityError:
            raise Refusal(self._ordinary_words(draft)) from None
        except DataError as error:
            reason = {"reason": str(error).splitlines()[0]}
            sentence = _("The database refused the row: %(reason)s.") % reason
            raise Refusal([Problem("", sentence)]) from None

    def renew(self, prepared: Any, source_hash: str) -> None:
        """Give the mark of a row another hash, and the row nothing; Stale if it moved."""
        write_mark(prepared, {"import_source_hash": source_hash})

    def _write(self, draft: Draft, mark: Mark | None) -> int:
        row, now = draft.row, timezone.now()
        if self._has_modified and not draft.idle:
            row.modified = now
        if mark is not None:
            at = row.modified if self._has_modified else now
            put_mark(row, mark, at)
        if draft.before is None:
            row.pk = None
            row.save(force_insert=True)
        else:
            self._update(draft)
        return int(row.pk)

    def _update(self, draft: Draft) -> None:
        """Write the changed columns where the row is still as it was decided on."""
        row, version = draft.row, draft.order.version
        where = Q(pk=row.pk)
        names = {*draft.columns, *MARK_FIELDS}
        if self._has_version and version is not None:
            where &= Q(version=version)
            row.version = version + 1
            names.add("version")
        if self._has_modified and not draft.idle:
            names.add("modified")
        if self._has_deleted:
            names.add("is_deleted")
        with transaction.atomic(router.db_for_write(self.model)):
            locked = self._all.select_for_update().filter(where).exists()
            if not locked:
                raise Stale
            row.save(update_fields=names)

    def _ordinary_words(self, draft: Draft) -> list[Problem]:
        """Ask the ordinary serializer why the database refused the row."""
        order = draft.order
        serializer = self.serializer(
            instance=order.row, data=order.values or {}, partial=order.row is not None
        )
        if serializer.is_valid():
            return [Problem("", _("The database refused the row: it is not unique."))]
        sources = [{name: self._sources[name]} for name in self.spec.unique]
        found = flatten(serializer.errors)
        return with_owners(found, self._live, draft, sources, target=self.name)
