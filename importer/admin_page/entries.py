"""A page of a report's entries as shown to users, with filter chips (IMP-275,
IMP-276)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
from django.http import QueryDict
from django.utils.translation import gettext as _

from importer import registry, services
from importer.admin_page.chips import Chip, chips_of, query_of
from importer.admin_page.forms import ALL, KEPT, EntriesForm, asked
from importer.admin_page.picture import name_of
from importer.models import ImportRun
from importer.package import paths
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.pipeline.report import Steps
from importer.runs.reading import outcomes_of

PAGE = 50
_LONGEST = 300


class Change(msgspec.Struct, frozen=True):
    """A property with its values before and after, or here and in the package."""

    name: str
    before: str
    after: str


class Conflict(msgspec.Struct, frozen=True):
    """A property that both a user and the package changed, with the value last
    imported, the one here and the one in the package."""

    name: str
    last: str
    here: str
    package: str


class EntryLine(msgspec.Struct, frozen=True):
    """An entry with its place in the package and the address of its row.

    ``waits`` is true for a kept row that nobody has decided about, ``settled`` for one
    that doesn't wait any more.
    """

    entry: ItemResult
    path: str
    link: str
    changes: list[Change]
    differences: list[Change]
    conflicts: list[Conflict]
    waits: bool = False
    settled: bool = False


class EntriesPage(msgspec.Struct, frozen=True):
    """A page of entries; ``last`` is None if the pages weren't counted."""

    lines: list[EntryLine]
    chips: list[Chip]
    outcome: str
    search: str
    number: int
    first: int
    has_next: bool
    last: int | None
    query: str
    waiting: int
    step: str

    @property
    def step_name(self) -> str:
        """Return the name of the chosen step, if any."""
        return name_of(self.step) if self.step else ""


def entries_page(
    run: ImportRun, query: QueryDict, user: Any, steps: Steps
) -> EntriesPage:
    """Return the page of entries for a query, reading little more than that page.

    ``steps`` are the counts of each step of the run.
    """
    wanted = asked(EntriesForm(query))
    step = wanted["step"] if wanted["step"] in steps else ""
    chosen, search = wanted["outcome"] or "", wanted["search"] or ""
    if chosen not in (ALL, KEPT) and chosen not in set(outcomes_of(run)):
        chosen = ""
    counts = steps[step] if step else services.counts_of(run)
    every, same = sum(counts.values()), counts.get(Outcome.UNCHANGED, 0)
    if not chosen and (search or same in (0, every)):
        chosen = ALL  # a search covers everything
    outcome = "" if chosen in (ALL, KEPT) else chosen
    unchanged = bool(chosen)
    total = counts.get(outcome, 0) if outcome else every - (0 if unchanged else same)
    last = None if search or chosen == KEPT else max(1, -(-total // PAGE))
    number = min(wanted["page"] or 1, last or 10_000_000)
    offset = (number - 1) * PAGE
    found = list(
        services.report_entries(
            run.run_id,
            outcome=outcome,
            search=search,
            offset=offset,
            limit=PAGE + 1,
            unchanged=unchanged,
            step=step,
            kept=chosen == KEPT,
        )
    )
    waiting: frozenset[str] = frozenset()
    decidable = registry.may_import(user) and services.is_decidable(run)
    if decidable:
        waiting = services.undecided(run, found[:PAGE])
    base = {"run": run.run_id}
    kept = {"outcome": chosen, "search": search, "step": step}
    return EntriesPage(
        lines=_lines(found[:PAGE], user, waiting, decidable=decidable),
        chips=list(chips_of(run, counts, chosen, {**base, **kept})),
        outcome=KEPT if chosen == KEPT else outcome,
        search=search,
        step=step,
        number=number,
        first=offset + 1,
        has_next=len(found) > PAGE,
        last=last,
        query=query_of({**base, **kept}),
        waiting=len(waiting),
    )


def filter_of(query: QueryDict) -> dict[str, Any]:
    """Return the filter of a download, which has everything unless it is asked for
    less."""
    wanted = asked(EntriesForm(query))
    outcome = wanted["outcome"] or ""
    found = {name: wanted[name] or "" for name in ("search", "step")}
    if outcome == KEPT:
        return {"kept": True, **found}
    return {"outcome": "" if outcome == ALL else outcome, **found}


def _lines(
    entries: list[ItemResult],
    user: Any,
    waiting: frozenset[str],
    *,
    decidable: bool,
) -> list[EntryLine]:
    changes = _labelled(entries, lambda entry: entry.changes or {})
    differences = _labelled(entries, _without_conflicts)
    before = _labelled(entries, lambda entry: _parts(entry.conflicts, 0, 1))
    after = _labelled(entries, lambda entry: _parts(entry.conflicts, 1, 2))
    return [
        EntryLine(
            entry,
            paths.item_path(entry.step, entry.index),
            _link(entry, user),
            changes.get(place, []),
            differences.get(place, []),
            [
                Conflict(first.name, first.before, first.after, second.after)
                for first, second in zip(
                    before.get(place, ()), after.get(place, ()), strict=True
                )
            ],
            entry.is_kept and entry.id in waiting,
            decidable and entry.is_kept and entry.id not in waiting,
        )
        for place, entry in enumerate(entries)
    ]


def _labelled(
    entries: list[ItemResult], pairs_of: Callable[[ItemResult], registry.Changes]
) -> dict[int, list[Change]]:
    """Return pairs of values in words, by the place of their entry."""
    shown: dict[int, list[Change]] = {}
    pairs = {place: found for place, e in enumerate(entries) if (found := pairs_of(e))}
    for target in {entries[place].target for place in pairs}:
        # One call per target, so that references are looked up together.
        places = [place for place in pairs if entries[place].target == target]
        changes = [pairs[place] for place in places]
        words = registry.change_words(target, changes)
        for place, change in zip(
            places, map(_on_the_wire, changes) if words is None else words, strict=True
        ):
            shown[place] = [Change(*map(_short, texts)) for texts in change]
    return shown


def _without_conflicts(entry: ItemResult) -> registry.Changes:
    conflicts = entry.conflicts or {}
    differences = (entry.differences or {}).items()
    return {name: pair for name, pair in differences if name not in conflicts}


def _parts(conflicts: registry.Changes | None, *which: int) -> registry.Changes:
    """Return some of the values of conflicts."""
    return {
        name: [values[place] for place in which]
        for name, values in (conflicts or {}).items()
    }


def _link(entry: ItemResult, user: Any) -> str:
    if entry.row_id is None:
        return ""
    return registry.row_link(entry.target, entry.row_id, user)


def _on_the_wire(changes: registry.Changes) -> registry.LabelledChanges:
    """Return changes in wire form, for targets without labels."""
    return [
        (name, in_words(before), in_words(after))
        for name, (before, after) in changes.items()
    ]


def in_words(value: Any) -> str:
    """Return a value of a change as readers expect it."""
    if value is None or value == "":
        return "—"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
