"""The base of every business row: version, times, soft delete, import mark."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar, NoReturn, Self

from django.db import models
from django.db.models import Q
from django.db.models.base import ModelBase
from django.utils import timezone

from importer import Mark
from importer.targets import (
    MARK_FIELDS,
    Draft,
    ImportMarked,
    Write,
    put_mark,
    require_live,
)
from platform_site.database.inserts import insert
from platform_site.records.behaviors import Keeper, Part, Rule, SaveAction
from platform_site.records.errors import LimitReached, Stale, WriteRefused
from platform_site.records.references import references_in
from platform_site.records.wire import target_of

_TICK = timedelta(microseconds=1)
_ONE_BY_ONE = (
    "This would write past the rules and the history of business rows. Save them one by "
    "one, with save() or with platform_site.records.services."
)
_WITH_WHOLE = (
    "This row is a part of another. Set the lines of the whole row, and save that."
)


class _Guarded(models.QuerySet[Any]):
    """A query set that refuses writes which would skip ``save`` (OPEN-16)."""

    reason: ClassVar[str]

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise WriteRefused(self.reason)

    update = delete = bulk_create = bulk_update = _refuse
    abulk_create = abulk_update = aupdate = adelete = _refuse


class RecordQuerySet(_Guarded):
    """A query set of business rows, which are written one by one."""

    reason = _ONE_BY_ONE

    def live(self) -> RecordQuerySet:
        """Return the rows that aren't deleted."""
        return self.filter(is_deleted=False)


class PartQuerySet(_Guarded):
    """A query set of parts, which are written with their row."""

    reason = _WITH_WHOLE


class PartRow(models.Model):
    """A row that belongs to a business row and is written with it (see ``Part``)."""

    objects = PartQuerySet.as_manager()

    class Meta:
        abstract = True
        # Related managers use this one.
        base_manager_name = "objects"

    def _save_table(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: neither ``save`` nor a fixture writes it."""
        raise WriteRefused(_WITH_WHOLE)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: it is deleted with the next save of its row."""
        raise WriteRefused(_WITH_WHOLE)


class Record(ImportMarked):
    """A business row. ``catalog_name`` is its name on the wire."""

    catalog_name: ClassVar[str] = ""
    rules: ClassVar[tuple[Rule, ...]] = ()
    keepers: ClassVar[tuple[Keeper, ...]] = ()
    actions: ClassVar[tuple[SaveAction, ...]] = ()
    parts: ClassVar[tuple[Part, ...]] = ()
    # The columns that every save sets itself, whatever their values.
    set_by_save: ClassVar[frozenset[str]] = frozenset(
        {"version", "created", "modified"}
    )

    version = models.PositiveIntegerField(default=1, editable=False)
    created = models.DateTimeField(editable=False)
    modified = models.DateTimeField(editable=False)
    is_deleted = models.BooleanField(default=False, editable=False)

    objects = RecordQuerySet.as_manager()

    class Meta(ImportMarked.Meta):
        abstract = True
        # Related managers use this one.
        base_manager_name = "objects"

    def save(
        self,
        *,
        force_insert: bool | tuple[ModelBase, ...] = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: Iterable[str] | None = None,
    ) -> None:
        """Write the changes as the acting user, like the services.

        Raise Refusal with the problems, Stale if the row has changed. Without changes
        nothing is written.
        """
        # Use the key that a related row has got since it was assigned.
        self._prepare_related_fields_for_save("save")  # type: ignore[attr-defined]
        only = None if update_fields is None else {*update_fields}
        target_of(type(self)).save(
            self, only, new=bool(force_insert), existing=force_update
        )

    def _save_table(self, raw: bool = False, *args: Any, **kwargs: Any) -> bool:  # noqa: FBT001, FBT002 - Django's signature
        """Save a row of a fixture like others: Django calls this instead of
        ``save``."""
        if raw:
            self.save()
            return True
        return super()._save_table(raw, *args, **kwargs)  # type: ignore[misc, no-any-return]

    def keep_references(self, columns: Collection[str] | None) -> None:
        """Check and lock the rows that a live row refers to until the commit.

        It is called with the changed columns, None meaning all: an old reference may
        stay, but all references of a restored row must be valid.
        """
        if self.is_deleted:
            return
        if columns is not None and "is_deleted" in columns:
            columns = None
        require_live(references_in(self, columns))

    def store(self, draft: Draft, mark: Mark | None) -> None:
        """Write the changes of a draft inside the transaction of the row's target.

        Raise StaleReference if the row would be live with an invalid reference, or if
        one of its rules no longer holds. The mark is written in the same statement and
        determines ``modified`` (OPEN-21).
        """
        adding, order = draft.before is None, draft.order
        columns = None if adding else draft.columns
        for keeper in self.keepers:
            keeper.keep(self, columns)
        self.keep_references(columns)
        written = {*draft.columns, "version"}
        # Posting by the engine alone doesn't count as a change of the row.
        kept = mark is not None and order.values is None
        if not kept or order.restore or self.is_deleted:
            self.modified = self._next_modified(engine=mark is not None)
            written.add("modified")
        if adding:
            self.created, self.version = self.modified, 1
            if order.planned_id:
                self.pk = None
        else:
            self.version = (order.version or self.version) + 1
        if mark is not None:
            put_mark(self, mark, self.modified)
            written.update(MARK_FIELDS)
        for action in self.actions:
            action.act(self)
        parts = [part for part in self.parts if adding or part.name in written]
        written -= {part.name for part in parts}
        # A mark that was just set is whole.
        save = super().save if mark is None else super(ImportMarked, self).save
        save(force_insert=adding, update_fields=None if adding else written)
        for part in parts:
            part.write(self)

    def withdraw(self) -> None:
        """Remove the entries of the row in other tables before it is erased."""

    def authorise_write(
        self, actor: Any, before: Self | None, columns: Collection[str]
    ) -> None:
        """Refuse an actor without the further rights for some columns."""

    @classmethod
    def limits_on(cls, order: Write, *, refused: bool) -> list[LimitReached]:
        """Return the licence limits that a write exceeds, which hide no other error.

        ``refused`` tells that the write is refused anyway, and all reasons are wanted.
        """
        return []

    def authorise_removal(self, actor: Any) -> None:
        """Refuse an actor without the further rights to delete the row."""

    def _next_modified(self, *, engine: bool) -> datetime:
        """Return the current time, but always later than the last one.

        A user's save must also be later than ``Import_ImportedAt``, or the next run
        would take the row as unmodified.
        """
        now: datetime = timezone.now()
        last: datetime | None = self.modified
        if engine:
            return now if last is None else max(now, last)
        known = [t for t in (last, self.import_imported_at) if t is not None]
        return max([now, *(t + _TICK for t in known)])

    def _do_insert(
        self,
        manager: Any,
        using: str,
        fields: Any,
        returning_fields: Any,
        raw: bool,  # noqa: FBT001 - Django's signature
    ) -> Any:
        """Insert the row by a statement that is compiled once."""
        return insert(type(self), [self], fields, returning_fields, using=using)

    def _do_update(self, base_qs: Any, *args: Any) -> Any:
        """Update the row only if it still has the version it was read with."""
        hit = super()._do_update(base_qs.filter(version=self.version - 1), *args)
        if not hit:
            self.version -= 1
            raise Stale
        return hit

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: use ``delete_record`` or ``erase_record``."""
        raise WriteRefused(_ONE_BY_ONE)


def unique_while_live(field: str, name: str) -> models.UniqueConstraint:
    """Return the constraint for a value that is unique among live rows."""
    live = Q(is_deleted=False)
    return models.UniqueConstraint(fields=[field], condition=live, name=name)
