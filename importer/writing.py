"""The write core for all rows, in two halves: ``prepare`` authorises and validates a
write, reading only; ``commit`` writes row and mark in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import DatabaseError, DataError, IntegrityError, router, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from importer.database_refusals import problem_of
from importer.describe import referred_model
from importer.live_rows import not_live
from importer.models.mark import mark_columns
from importer.owners import taken_by, with_owners
from importer.package.shapes import LimitReached, Mark, Problem, Refusal
from importer.package.taken_values import CODE
from importer.pipeline.ports import RowLookup, Write
from importer.pipeline.row_numbers import key_of, number_of
from importer.prepared import Draft, authorise, validated, write_mark
from importer.referrers import WayToRefer, referrers, ways_to_refer
from importer.serializers import flatten
from importer.target_rows import TargetRows


class RowWriter(TargetRows):
    """The writer of one model's rows, through its serializer.

    A subclass writes the row itself and adds what its rows have besides: rules, limits,
    further rights, actions after the save.
    """

    # -- hooks for subclasses ------------------------------------------------------

    def judge(self, draft: Draft, lookup: RowLookup) -> Iterable[Problem]:
        """Return the problems of a row besides those of its serializer."""
        return ()

    def limits_on(self, order: Write, *, refused: bool) -> Sequence[LimitReached]:
        """Return the limits that a write exceeds, which hide no other error.

        ``refused`` tells that the write is refused anyway, and all reasons are wanted.
        """
        return ()

    def authorise_further(self, draft: Draft) -> None:
        """Refuse users who lack a further right that the changes need."""

    def write(self, draft: Draft, mark: Mark | None) -> None:
        """Write the row inside the transaction; raise Stale if it has changed."""
        raise NotImplementedError(f"{type(self).__name__} writes nothing.")

    def write_mark(self, draft: Draft, columns: dict[str, Any]) -> None:
        """Write mark columns of a row and nothing else; raise Stale if it has
        changed."""
        write_mark(draft, columns)

    # -- one write -----------------------------------------------------------------

    def prepare(self, order: Write, lookup: RowLookup) -> Draft:
        """Authorise and validate a write, reading only; raise Refusal if it isn't
        allowed."""
        authorise(order.user, self.model, "add" if order.row is None else "change")
        draft = self.draft(order, lookup)
        self.authorise_further(draft)
        return draft

    def draft(
        self, order: Write, lookup: RowLookup, others: Mapping[str, Any] | None = None
    ) -> Draft:
        """Validate a write without checking rights; raise Refusal with all problems.

        ``others`` are the values of columns without a property.
        """
        attrs: dict[str, Any] = {}
        context = {"lookup": lookup}
        try:
            if order.values is not None:
                attrs = validated(
                    self.serializer, order.values, row=order.row, context=context
                )
        except Refusal as refusal:
            self._refuse(order, refusal.problems)
        draft = Draft.of(self.model, order, {**attrs, **(others or {})})
        problems: list[Problem] = []
        if order.restore and self.columns.deleted:
            setattr(draft.row, self.columns.deleted, False)
            draft.columns.add(self.columns.deleted)
            problems += not_live(self.references(draft.row), lookup)
        problems += self.judge(draft, lookup)
        problems += self._taken(draft, lookup)
        self._refuse(order, problems)
        if draft.before is not None:
            draft.changes.update(self.changes(draft))
        return draft

    def commit(self, prepared: Any, mark: Mark | None) -> int:
        """Write in one transaction and return the row's key; raise Stale or Refusal.

        If nothing changes, only the mark is written, if it needs an update.
        """
        draft: Draft = prepared
        if draft.idle and mark is None:
            return self._number(draft)
        if mark is not None and draft.only_marks(mark):
            # The time of the row's last change; that of a user's change is always later.
            at = self.modified(draft.row) or timezone.now()
            self.write_mark(draft, mark_columns(mark, at))
            return self._number(draft)
        try:
            with transaction.atomic(router.db_for_write(self.model)):
                self.write(draft, mark)
        except IntegrityError as error:
            problems = self._taken_by_now(draft) or [self._by_database(error)]
            raise Refusal(problems) from None
        except DataError as error:
            raise Refusal([self._by_database(error)]) from None
        return self._number(draft)

    def _number(self, draft: Draft) -> int:
        number: int = number_of(draft.row.pk)
        return number

    def renew(self, prepared: Any, source_hash: str) -> None:
        """Store a new hash in the mark of an unchanged row; raise Stale if it
        changed."""
        self.write_mark(prepared, {"import_source_hash": source_hash})

    # -- deletions -----------------------------------------------------------------

    def referrers(
        self, row_ids: Sequence[int], apart: Collection[type[Any]]
    ) -> Iterator[tuple[int, type[Any], int | None]]:
        """Yield (key, model, referring key) for the live rows that refer to rows."""
        keys = [key_of(row_id) for row_id in row_ids]
        for key, model, other in referrers(self.ways_to_refer(keys), keys, apart):
            yield number_of(key), model, number_of(other)

    def ways_to_refer(self, keys: Sequence[Any]) -> Iterable[WayToRefer]:
        """Return the ways in which live rows may refer to rows with some keys."""
        return ways_to_refer(self.model)

    def in_use(self, models: Iterable[type[Any]]) -> str:
        """Return why a row that rows of some models refer to isn't deleted."""
        names = sorted({str(model._meta.verbose_name_plural) for model in models})
        return _("kept: in use by %(rows)s") % {"rows": ", ".join(names)}

    def prepare_removal(self, order: Write) -> Draft:
        """Authorise a soft deletion, reading only; raise Refusal if it isn't
        allowed."""
        authorise(order.user, self.model, "delete")
        return Draft.of(self.model, order, {self.columns.deleted: True})

    # -- problems and changes ------------------------------------------------------

    def _refuse(self, order: Write, problems: Sequence[Problem]) -> None:
        """Raise Refusal with all problems and exceeded limits (OPEN-83).

        Neither hides the other.
        """
        limits = self.limits_on(order, refused=bool(problems))
        found = [*problems, *(each for limit in limits for each in limit.problems)]
        if problems:
            raise Refusal(found)
        for first in limits:
            raise LimitReached(found, **first.members)

    def _taken(self, draft: Draft, lookup: RowLookup) -> list[Problem]:
        """Return the values that another live row has, as far as the look-up knows."""
        problems = []
        for name in self.unique:
            source = self._sources[name]
            value = getattr(draft.row, source)
            kept = draft.before is not None and getattr(draft.before, source) == value
            if value in (None, "") or (kept and not draft.order.restore):
                continue
            asked, shown = self._numbered(name, value), self._shown(name, value, lookup)
            problem = taken_by(draft, name, asked, self.name, lookup, shown=shown)
            if problem is not None:
                problems.append(problem)
        return problems

    def _shown(self, name: str, value: Any, lookup: RowLookup) -> Any:
        """Return a value as people know it: of a reference the row it names."""
        model = referred_model(self.fields[name])
        row = None if model is None else lookup.row(model, value)
        return value if row is None else lookup.name(row)

    def changes(self, draft: Draft) -> dict[str, list[Any]]:
        """Return ``{property: [before, after]}`` in wire values; a new row has no before."""
        row, before = draft.row, draft.before
        found: dict[str, list[Any]] = {}
        for name, field in self.properties:
            after = getattr(row, field.source)
            if before is None:
                if after not in (None, ""):
                    found[name] = [None, field.to_representation(after)]
            elif (earlier := getattr(before, field.source)) != after:
                pair = (earlier, after)
                found[name] = [
                    None if value is None else field.to_representation(value)
                    for value in pair
                ]
        return found

    def _by_database(self, error: DatabaseError) -> Problem:
        """Return why the database refused a row, according to its driver."""
        named = {source: name for name, source in self._sources.items()}
        properties = {
            str(field.column): named.get(field.attname) or named[field.name]
            for field in self.model._meta.concrete_fields
            if field.attname in named or field.name in named
        }
        return problem_of(error, self.model._meta.db_table, properties)

    def _taken_by_now(self, draft: Draft) -> list[Problem]:
        """Return the values that other rows have, according to the ordinary serializer.

        Its other errors are ignored: it knows neither the run nor its plan.
        """
        order, data = draft.order, draft.order.values
        if data is None:
            data = {n: getattr(draft.row, self._sources[n]) for n in self.unique}
        serializer = self.serializer(
            instance=order.row, data=data, partial=order.row is not None
        )
        if serializer.is_valid():
            return []
        names = [*((name,) for name in self.unique), *self._unique_together]
        sources = [{name: self._sources[name] for name in one} for one in names]
        found = [each for each in flatten(serializer.errors) if each.code == CODE]
        return with_owners(found, self._live, draft, sources, target=self.name)
