"""The base of every business row: version, times, soft delete, import mark."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, ClassVar, NoReturn, Self

from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from importer.live_rows import require_live
from importer.models.mark import MARK_FIELDS, ImportMarked, put_mark
from importer.package.shapes import Mark
from importer.pipeline.ports import Write
from platform_site.records.behaviors import Action, Keeper, Part, Rule
from platform_site.records.errors import LimitReached, Stale, WriteRefused
from platform_site.records.references import references_in

_TICK = timedelta(microseconds=1)
_DOOR = "Business rows are written one by one through platform_site.records.services."


class RecordQuerySet(models.QuerySet[Any]):
    """Read business rows; refuse every write that would skip ``save`` (OPEN-16)."""

    def live(self) -> RecordQuerySet:
        """Leave out deleted rows."""
        return self.filter(is_deleted=False)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise WriteRefused(_DOOR)

    update = delete = bulk_create = bulk_update = _refuse
    abulk_create = abulk_update = aupdate = adelete = _refuse


class Record(ImportMarked):
    """One business row. ``catalog_name`` is its table's name on the wire."""

    catalog_name: ClassVar[str] = ""
    rules: ClassVar[tuple[Rule, ...]] = ()
    keepers: ClassVar[tuple[Keeper, ...]] = ()
    actions: ClassVar[tuple[Action, ...]] = ()
    parts: ClassVar[tuple[Part, ...]] = ()

    version = models.PositiveIntegerField(default=1, editable=False)
    created = models.DateTimeField(editable=False)
    modified = models.DateTimeField(editable=False)
    is_deleted = models.BooleanField(default=False, editable=False)

    objects = RecordQuerySet.as_manager()

    class Meta(ImportMarked.Meta):
        abstract = True

    def save(self, *args: Any, mark: Mark | None = None, **kwargs: Any) -> None:
        """Write the row and run its declared actions; Stale if it moved on meanwhile,
        StaleReference if it would be live and refer to a row that is not, or if what
        its rules said is true no longer.

        ``modified`` moves, unless ``update_fields`` leaves it out. The mark travels in
        the row's own statement and takes over ``modified`` (OPEN-21).
        """
        with transaction.atomic(savepoint=False):
            columns = kwargs.get("update_fields")
            for keeper in self.keepers:
                keeper.keep(self, columns)
            self.keep_references(columns)
            self._write(*args, mark=mark, **kwargs)

    def keep_references(self, columns: Collection[str] | None) -> None:
        """Keep what a live row refers to live until the transaction ends.

        Asked for the columns that a write changes, None meaning all: an old reference
        may stay as it is, but a row that comes back must be right altogether.
        """
        if self.is_deleted:
            return
        if columns is not None and "is_deleted" in columns:
            columns = None
        require_live(references_in(self, columns))

    def _write(self, *args: Any, mark: Mark | None, **kwargs: Any) -> None:
        fields = kwargs.get("update_fields")
        parts = [p for p in self.parts if fields is None or p.name in fields]
        adding = self._state.adding
        if adding or fields is None or "modified" in fields:
            self.modified = self._next_modified(engine=mark is not None)
        if adding:
            self.created = self.modified
            self.version = 1
        else:
            self.version += 1
        if mark is not None:
            put_mark(self, mark, self.modified)
        if fields is not None:
            marked = MARK_FIELDS if mark is not None else ()
            columns = {*fields, *marked, "version"} - {p.name for p in parts}
            kwargs["update_fields"] = columns
        for action in self.actions:
            action.act(self)
        super().save(*args, **kwargs)
        for part in parts:
            part.write(self)

    def withdraw(self) -> None:
        """Take back what the row has left in other tables, before it is erased."""

    def authorise_write(
        self, actor: Any, before: Self | None, columns: Collection[str]
    ) -> None:
        """Refuse an actor without the further rights that changing some columns needs."""

    @classmethod
    def limits_on(cls, order: Write, *, refused: bool) -> list[LimitReached]:
        """Return what the licence has against a write, which hides no other error.

        ``refused`` says that it is refused anyway, and all there is shall be told.
        """
        return []

    def authorise_removal(self, actor: Any) -> None:
        """Refuse an actor without the further rights that deleting the row needs."""

    def _next_modified(self, *, engine: bool) -> datetime:
        """Return the clock, but never a time at or before the last one.

        A save by anybody but the engine must lie after ``Import_ImportedAt`` too, or
        the next run would take the row for untouched.
        """
        now: datetime = timezone.now()
        last: datetime | None = self.modified
        if engine:
            return now if last is None else max(now, last)
        known = [t for t in (last, self.import_imported_at) if t is not None]
        return max([now, *(t + _TICK for t in known)])

    def _do_update(self, base_qs: Any, *args: Any) -> Any:
        """Update the row only where it still has the version it was read with."""
        hit = super()._do_update(base_qs.filter(version=self.version - 1), *args)
        if not hit:
            self.version -= 1
            raise Stale
        return hit

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: deleting is ``delete_record``, erasing ``erase_record``."""
        raise WriteRefused(_DOOR)


def unique_while_live(
    field: str, name: str, *, also: Q | None = None
) -> models.UniqueConstraint:
    """Make the constraint of a value that no two live rows of a table share."""
    condition = Q(is_deleted=False) if also is None else Q(is_deleted=False) & also
    return models.UniqueConstraint(fields=[field], condition=condition, name=name)
