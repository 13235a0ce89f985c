"""Decisions about the rows that a run kept: the package's values, or the row's own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import msgspec
from django.utils.translation import gettext as _, gettext_noop, ngettext

from importer import registry
from importer.models import ImportRun
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.package.wire_values import short
from importer.pipeline.ports import Target
from importer.pipeline.row_numbers import numbering_rows
from importer.runs import background, kept_packages, reading
from importer.runs.lock import import_lock
from importer.runs.options import ImportOptions, RunOrder, language_for
from importer.runs.readers import UnknownRun
from importer.runs.report_filter import ReportFilter
from importer.runs.undoing import undo_of

_WINDOW = 1000
_DECISION = gettext_noop("a decision about kept rows")


class NotDecidable(Exception):
    """The refusal of a decision about a run, or about some of its entries."""


class KeptRows(msgspec.Struct, frozen=True):
    """Kept rows of a run's report: those with some ids, or those that a filter leaves."""

    ids: frozenset[str] | None = None
    outcome: str = ""
    search: str = ""
    step: str = ""
    # Without those that have been decided about.
    waiting_only: bool = False

    def of(self, run: ImportRun) -> list[ItemResult]:
        """Return their entries; raise NotDecidable for an id of another outcome."""
        wanted = ReportFilter(self.outcome, self.search, step=self.step, kept=True)
        entries = reading.entries_of(run, wanted)
        found = [e for e in entries if self.ids is None or e.id in self.ids]
        if self.waiting_only:
            waiting = undecided(run, found)
            found = [e for e in found if e.id in waiting]
        self._require_all(found)
        return found

    def _require_all(self, found: Collection[ItemResult]) -> None:
        if not found and not self.ids:
            raise NotDecidable(_("This run has no such kept rows."))
        missing = sorted((self.ids or frozenset()) - {entry.id for entry in found})
        if missing:
            sentence = ngettext(
                "This run kept no row of the object %(ids)s.",
                "This run kept no rows of the objects %(ids)s.",
                len(missing),
            )
            listed = ", ".join(short(each) for each in missing[:10])
            raise NotDecidable(sentence % {"ids": listed})


class RowKeptByImport(msgspec.Struct, frozen=True):
    """A row that the newest import of its package kept: what the report tells of it, and
    whether it still waits for a decision."""

    run: ImportRun
    entry: ItemResult
    waits: bool


def kept_row(package: str, key: str) -> RowKeptByImport | None:
    """Return the row of an object as the newest import of its package kept it, None if
    that import kept no value of it or can't be decided about.

    Only the parts of the report are read that may tell of kept rows.
    """
    run = kept_packages.imports_of(package).first()
    if run is None or not is_decidable(run):
        return None
    for entry in reading.entries_of(run, ReportFilter(search=key, kept=True)):
        if entry.id == key:
            return RowKeptByImport(run, entry, key in undecided(run, [entry]))
    return None


def take_packages_values(
    run_id: UUID,
    which: KeptRows,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
) -> UUID:
    """Start a run that gives kept rows the values of their objects; return its
    identifier.

    It is an ordinary run of these objects alone, for which a user's change or deletion
    no longer counts. Raise UnknownRun, NotDecidable, and what ``start_run`` raises.
    """
    order = order_of_decision(run_id, which, options, user)
    background.engine().start(order)
    return order.run_id


def order_of_decision(
    run_id: UUID, which: KeptRows, options: ImportOptions, user: Any
) -> RunOrder:
    """Return the order of a run that gives kept rows the values of their objects."""
    run = _decidable(run_id)
    chosen = frozenset(entry.id for entry in which.of(run))
    source = kept_packages.opened(run)
    if source is None:
        raise NotDecidable(_gone())
    return RunOrder(
        run_id=options.run_id or uuid4(),
        source=source,
        # Each object is decided about by itself.
        options=replace(options, continue_on_error=True),
        user=user,
        zone=ZoneInfo(run.time_zone),
        started_via=options.started_via or registry.started_via(),
        digest=run.digest,
        language=language_for(user),
        kind=ImportRun.Kind.DECISION,
        based_on=run,
        chosen=chosen,
    )


def keep_own_values(run_id: UUID, which: KeptRows, *, user: Any) -> int:
    """Remember that kept rows stay as they are until their objects change again; return
    their number.

    Their marks get the hashes of the objects, so the next run finds them unchanged.
    Deleted rows stay deleted without that. Raise UnknownRun, NotDecidable,
    ImportInProgress.
    """
    with import_lock(user.get_username(), _DECISION), numbering_rows():
        run = _decidable(run_id)
        kept = which.of(run)
        # A deleted row stays deleted anyway: there is nothing to remember.
        entries = [e for e in kept if e.outcome is not Outcome.SKIPPED_DELETED]
        return sum(
            _remember(run.package, registry.targets()[name], some)
            for name, some in _by_target(entries)
        )


def is_decidable(run: ImportRun) -> bool:
    """Return whether the kept rows of a run can be decided about."""
    is_kept = run.has_ended and not run.dry_run and kept_packages.is_kept(run)
    # The package of an undone run isn't wanted, even if some rows were kept.
    return is_kept and undo_of(run) is None


def undecided(run: ImportRun, entries: Iterable[ItemResult]) -> frozenset[str]:
    """Return the ids of kept rows that still wait for a decision.

    A decision gives the mark of the row the hash of the object.
    """
    kept = [entry for entry in entries if entry.is_kept]
    waiting: set[str] = set()
    with numbering_rows():
        for name, some in _by_target(kept):
            target = registry.targets().get(name)
            rows = target.marked(run.package, [e.id for e in some]) if target else {}
            for entry in some:
                row = rows.get(entry.id)
                if row is None or row.source_hash == entry.seal:
                    continue
                if row.deleted == (entry.outcome is Outcome.SKIPPED_DELETED):
                    waiting.add(entry.id)
    return frozenset(waiting)


def _remember(package: str, target: Target, entries: list[ItemResult]) -> int:
    """Give the marks of rows the hashes of their objects; return their number."""
    by_id = {entry.id: entry for entry in entries}
    rows = target.marked(package, list(by_id))
    marks = {row.row_id: (key, by_id[key].seal) for key, row in rows.items()}
    target.rename_marks(package, marks)
    return len(marks)


def _by_target(
    entries: Iterable[ItemResult],
) -> Iterator[tuple[str, list[ItemResult]]]:
    """Yield targets with their entries, up to a window of them at a time."""
    by_target: dict[str, list[ItemResult]] = {}
    for entry in entries:
        by_target.setdefault(entry.target, []).append(entry)
    for name, all_of_it in by_target.items():
        for start in range(0, len(all_of_it), _WINDOW):
            yield name, all_of_it[start : start + _WINDOW]


def _decidable(run_id: UUID) -> ImportRun:
    """Return a run whose kept rows can be decided about."""
    run = reading.find_run(run_id)
    if run is None:
        raise UnknownRun(run_id)
    if run.dry_run:
        raise NotDecidable(
            _("A dry run keeps no rows. Import the package, then decide on its report.")
        )
    if not run.has_ended:
        raise NotDecidable(_("The run hasn't ended yet."))
    if undo_of(run) is not None:
        raise NotDecidable(
            _(
                "This run was undone. Import the package again, then decide on its report."
            )
        )
    if not kept_packages.is_kept(run):
        raise NotDecidable(_gone())
    return run


def _gone() -> str:
    return _(
        "The package of this run is no longer kept. Decide on the report of the newest"
        " import of this package, or import it again."
    )
