"""A model and its DRF serializer as an import target: the ORM begins here.

``SerializerTarget`` needs nothing but a model with ``ImportMarked``; columns called
``modified``, ``is_deleted`` and ``version`` are used where a model has them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import DataError, IntegrityError, router, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from importer.live_rows import Reference, not_live, references_of, require_live
from importer.models.mark import MARK_FIELDS, mark_columns, put_mark
from importer.owners import taken_by, with_owners
from importer.package.shapes import BY_DATABASE, Mark, Problem, Refusal
from importer.package.tokens import Moment
from importer.pipeline.ports import Look, Stale, Write
from importer.prepared import (
    Draft,
    ModelLook,
    authorise,
    changed_names,
    validated,
    write_mark,
)
from importer.serializers import flatten
from importer.target_rows import TargetRows


class SerializerTarget(TargetRows):
    """Read and write the rows of one model through its serializer."""

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
            self._check_references(draft, ModelLook(look))
        self._check_unique(draft, look)
        changed = changed_names(draft, self._sources)
        draft.changes.update(changed if order.row is not None else {})
        return draft

    def _check_references(self, draft: Draft, look: ModelLook) -> None:
        """Refuse to bring a row back that refers to deleted ones."""
        problems = not_live(self._named(draft.row), look.row, look.name)
        if problems:
            raise Refusal(problems)

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
                row_id = self._write(draft, mark)
                # After the write: SQLite may lock for writers no sooner.
                require_live(self._changed_references(draft))
                return row_id
        except IntegrityError:
            raise Refusal(self._ordinary_words(draft)) from None
        except DataError as error:
            reason = {"reason": str(error).splitlines()[0]}
            sentence = _("The database refused the row: %(reason)s.") % reason
            raise Refusal([Problem("", sentence)]) from None

    def renew(self, prepared: Any, source_hash: str) -> None:
        """Give the mark of a row another hash, and the row nothing; Stale if it moved."""
        write_mark(prepared, {"import_source_hash": source_hash})

    def _changed_references(self, draft: Draft) -> list[Reference]:
        """Return what a row that is live refers to anew; all if it comes to live."""
        before, row = draft.before, draft.row
        if getattr(row, "is_deleted", False):
            return []
        found = references_of(row, self._references)
        if before is None or draft.order.restore:
            return found
        kept = references_of(before, self._references)
        return [each for each in found if each not in kept]

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
        if self._has_modified and mark is not None and not draft.idle:
            self._follow(row)
        return int(row.pk)

    def _follow(self, row: Any) -> None:
        """Date the mark as the row, where the model dated that itself (``auto_now``)."""
        if row.modified != row.import_imported_at:
            rows = self.model._base_manager.filter(pk=row.pk)
            rows.update(import_imported_at=row.modified)

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
            sentence = _("The database refused the row: it is not unique.")
            return [Problem("", sentence, BY_DATABASE)]
        sources = [{name: self._sources[name]} for name in self.spec.unique]
        found = flatten(serializer.errors)
        return with_owners(found, self._live, draft, sources, target=self.name)
