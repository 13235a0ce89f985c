"""The import targets of business rows: the engine writes them like the services."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db import router, transaction

from importer import LimitReached, Mark, Problem, registry
from importer.targets import (
    Draft,
    RowLookup,
    RowReference,
    Stale,
    WayToRefer,
    Write,
)
from platform_site.changes.context import current
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import record_change, record_former_marks
from platform_site.records import wire
from platform_site.records.api.filters import FilteredRows
from platform_site.records.errors import WriteRefused
from platform_site.records.models import Record
from platform_site.records.recorded_target import RecordedTarget
from platform_site.records.references import references_in
from platform_site.records.row_links import link_to_row
from platform_site.records.row_lookup import DatabaseLookup
from platform_site.records.serializers import RecordSerializer
from platform_site.records.undo import RecordHistory
from platform_site.records.usage import refuse_if_used, ways_to_refer

Actions = ChangeEvent.Action
_NOT_READ = (
    "This row was read without its version, which tells whether it has changed since. "
    "Read the whole row before you save it."
)


class RecordTarget(FilteredRows, RecordedTarget):
    """An import target for business rows: with rules, limits, further rights, parts and
    change events."""

    model: type[Record]
    serializer: type[RecordSerializer]

    def rows(self, row_ids: Sequence[int]) -> dict[int, Any]:
        """Return rows by their keys with all their parts, with one query per table."""
        found = super().rows(row_ids)
        for part in self.model.parts:
            part.load(found.values())
        return found

    def lines(self, row_ids: Sequence[int]) -> dict[int, int]:
        """Return the number of lines in the longest part, with one query per part."""
        longest: dict[int, int] = {}
        for part in self.model.parts if row_ids else ():
            for row_id, count in part.count(self.model, row_ids).items():
                longest[row_id] = max(count, longest.get(row_id, 0))
        return longest

    def named_by(self, row: Any) -> Iterator[tuple[str, int]]:
        """Yield (target, key) of the rows that a row and its parts refer to."""
        for reference in self.references(row):
            model: Any = reference.wanted.model
            yield model.catalog_name, reference.row_id

    def references(self, row: Any) -> list[RowReference]:
        """Return the references of a row and its parts."""
        return references_in(row)

    def ways_to_refer(self, keys: Sequence[int]) -> Iterable[WayToRefer]:
        """Return the ways in which live rows may refer to rows, also by their parts."""
        return ways_to_refer(self.model, keys)

    def prepare_removal(self, order: Write) -> Draft:
        """Authorise a soft deletion, also by the row itself."""
        draft = super().prepare_removal(order)
        draft.row.authorise_removal(order.user)
        return draft

    def draft(
        self, order: Write, lookup: RowLookup, others: Mapping[str, Any] | None = None
    ) -> Draft:
        """Return the draft of a write, with all parts of the row loaded."""
        if order.row is not None:
            for part in self.model.parts:
                part.load([order.row])
        return super().draft(order, lookup, others)

    def judge(self, draft: Draft, lookup: RowLookup) -> Iterator[Problem]:
        """Yield the problems of the model's rules."""
        for rule in self.model.rules:
            yield from rule.check(draft.row, draft.before, lookup)

    def limits_on(self, order: Write, *, refused: bool) -> Sequence[LimitReached]:
        """Return the licence limits that a write exceeds."""
        return self.model.limits_on(order, refused=refused)

    def authorise_further(self, draft: Draft) -> None:
        """Refuse users who lack the rights for some columns."""
        draft.row.authorise_write(draft.order.user, draft.before, draft.columns)

    def write(self, draft: Draft, mark: Mark | None) -> None:
        """Write row, mark and change event."""
        row, action = draft.row, self.action(draft, mark)
        if action is Actions.DELETED:
            refuse_if_used(row)
        if draft.before is not None:
            record_former_marks([draft.before])
        row.store(draft, mark)
        if draft.before is None:
            # With values set by the save, such as a number.
            draft.changes = {**self.changes(draft), **draft.changes}
        record_change(
            action=action,
            model=row.catalog_name,
            row_id=row.pk,
            row=str(row),
            changes=draft.changes,
        )

    def write_mark(self, draft: Draft, columns: dict[str, Any]) -> None:
        """Write only mark columns, and record the former mark for an undo."""
        with transaction.atomic(router.db_for_write(self.model)):
            record_former_marks([draft.before])
            super().write_mark(draft, columns)

    def rename_marks(self, source: str, marks: Mapping[int, tuple[str, str]]) -> None:
        """Rename marks, and record the former ones for an undo."""
        with transaction.atomic(router.db_for_write(self.model)):
            record_former_marks(self._all.filter(pk__one_of=list(marks)))
            super().rename_marks(source, marks)

    def action(self, draft: Draft, mark: Mark | None) -> Actions:
        """Return the action of the change event."""
        row, before = draft.row, draft.before
        if before is None:
            return Actions.CREATED
        if row.is_deleted != before.is_deleted:
            return Actions.DELETED if row.is_deleted else Actions.RESTORED
        adopted = mark is not None and before.import_source != mark.source
        return Actions.ADOPTED if adopted else Actions.UPDATED

    def put_back(self, row: Record, values: dict[str, Any], actor: Any) -> Record:
        """Give a row former wire values again, and return it."""
        known = {name for name, _field in self.properties}
        data = {name: value for name, value in values.items() if name in known}
        if not data:
            return row
        order = Write(data, actor, row=row, version=row.version)
        draft = self.prepare(order, DatabaseLookup())
        self.commit(draft, None)
        changed: Record = draft.row
        return changed

    def simulate(self, prepared: Any, lookup: RowLookup) -> str:
        """Let the model's keepers note what a dry run would write."""
        if prepared.before is not None:
            for keeper in self.model.keepers:
                keeper.simulate(prepared.row, prepared.columns, lookup)
        return ""

    # -- rows that are saved by themselves -----------------------------------------

    def save(
        self,
        row: Record,
        only: Collection[str] | None,
        *,
        new: bool = False,
        existing: bool = False,
    ) -> None:
        """Validate and write a row saved by a program, or only some of its columns.

        Rights aren't checked, since there is no user; the event names the acting user
        if there is one. A refused row stays as the program made it, so that it can be
        corrected.
        """
        chosen = self._chosen(row, only)
        stored = None if new or row.pk is None else self.rows([row.pk]).get(row.pk)
        if stored is None and (existing or not row._state.adding):
            raise Stale
        version = row.version
        if stored is not None and row._state.adding:
            # A new instance for an existing row, such as in fixtures, replaces it.
            row._state.adding, version = False, stored.version
        order = Write(
            self._said(row, stored, chosen),
            current().user,
            row=stored,
            version=version,
            restore=(
                stored is not None
                and stored.is_deleted
                and "is_deleted" in chosen
                and not row.is_deleted
            ),
        )
        others = {n: getattr(row, n) for n in self._unsaid if n in chosen}
        draft = self.draft(order, DatabaseLookup(), others)
        given = {**vars(row), "_state": copy.copy(row._state)}
        for name in draft.columns:
            setattr(row, name, getattr(draft.row, name))
        draft.row = row
        try:
            self.commit(draft, None)
        except BaseException:
            vars(row).update(given)
            raise

    def _chosen(self, row: Record, only: Collection[str] | None) -> set[str]:
        """Return the attributes that a save considers: the given ones, else all.

        Deferred attributes count as unchanged.
        """
        known = {name: name for name in self._sources.values()} | self._attributes
        unread = row.get_deferred_fields()
        if "version" in unread:
            raise WriteRefused(_NOT_READ)
        unknown = sorted(set(only or ()) - set(known))
        if unknown:
            raise ValueError(
                f"update_fields names what {self.name} do not have: {', '.join(unknown)}."
            )
        return {known[name] for name in known if only is None or name in only} - unread

    def _said(
        self, row: Record, stored: Record | None, chosen: Collection[str]
    ) -> dict[str, Any]:
        """Return the changed values of a row in wire form."""
        return {
            name: wire.wire_value(field, getattr(row, field.source))
            for name, field in self.properties
            if field.source in chosen
            and (
                stored is None
                or getattr(row, field.source) != getattr(stored, field.source)
            )
        }

    @cached_property
    def _unsaid(self) -> tuple[str, ...]:
        """Return the columns without a property that a save doesn't set itself."""
        said = {field.source for _name, field in self.properties}
        said |= {self.model._meta.pk.attname} | self.model.set_by_save
        columns = (field.attname for field in self.model._meta.concrete_fields)
        return tuple(name for name in columns if name not in said)


registry.register_row_link(link_to_row)
registry.register_history(RecordHistory())


def register_record(
    serializer: type[RecordSerializer],
    *,
    kind: str = "dictionary",
    target: type[RecordTarget] = RecordTarget,
    importable: bool = True,
) -> None:
    """Register a model with its wire serializer for services and importer.

    Rows that are not ``importable`` are written only by the services.
    """
    model: type[Record] = serializer.Meta.model
    made = target(model, serializer, name=model.catalog_name, kind=kind)
    wire.register(made)
    if importable:
        registry.register_target(made)
