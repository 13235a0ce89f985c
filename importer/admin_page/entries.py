"""A page of a report's entries as shown to users, with filter chips (IMP-275,
IMP-276)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.http import QueryDict
from django.utils.translation import gettext as _, gettext_lazy

from importer import registry, services
from importer.admin_page.forms import ALL, KEPT, EntriesForm, asked
from importer.admin_page.picture import name_of
from importer.models import ImportRun
from importer.package import paths
from importer.package.item_result import ItemResult
from importer.package.shapes import KEPT as KEPT_OUTCOMES, Outcome
from importer.package.undo_results import UndoOutcome
from importer.pipeline.report import Steps
from importer.runs.reading import outcomes_of

PAGE = 50
# The chip of everything but unchanged objects, which is chosen at first.
CHANGES = "changes"
_LONGEST = 300
_KEPT_MEANING = gettext_lazy("rows with values that users changed and that were kept")
MEANINGS: dict[Outcome | UndoOutcome, Any] = {
    Outcome.INSERTED: gettext_lazy("a new row"),
    Outcome.UNCHANGED: gettext_lazy("nothing to do"),
    Outcome.UPDATED: gettext_lazy("the row was changed"),
    Outcome.ADOPTED: gettext_lazy("an existing row was linked to the package"),
    Outcome.RESTORED: gettext_lazy("a deleted row was restored"),
    Outcome.SKIPPED_USER_MODIFIED: gettext_lazy("kept: changed by a user"),
    Outcome.SKIPPED_DRIFT: gettext_lazy("kept: changes in the package are not applied"),
    Outcome.SKIPPED_DELETED: gettext_lazy("not restored: a user deleted the row"),
    Outcome.FAILED: gettext_lazy("refused, see the message"),
    Outcome.MISSING: gettext_lazy("the file no longer has the object"),
    Outcome.DELETED: gettext_lazy("deleted, because the file no longer has the object"),
    UndoOutcome.REVERTED: gettext_lazy("the row is as it was before the run"),
    UndoOutcome.KEPT: gettext_lazy("kept: somebody changed the row since"),
    UndoOutcome.BLOCKED: gettext_lazy("not reverted, see the message"),
    UndoOutcome.GONE: gettext_lazy("the row is no longer there"),
}


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


class Chip(msgspec.Struct, frozen=True):
    """A filter by outcome: its number of objects, if it is known, and its link."""

    outcome: str
    meaning: str
    count: int | None
    chosen: bool
    query: str


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
        chips=list(_chips(run, counts, chosen, {**base, **kept})),
        outcome=KEPT if chosen == KEPT else outcome,
        search=search,
        step=step,
        number=number,
        first=offset + 1,
        has_next=len(found) > PAGE,
        last=last,
        query=_query({**base, **kept}),
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


def _query(values: dict[str, Any]) -> str:
    return urlencode({name: value for name, value in values.items() if value})


def _chips(
    run: ImportRun, counts: dict[str, int], chosen: str, base: dict[str, Any]
) -> Iterator[Chip]:
    every, same = sum(counts.values()), counts.get(Outcome.UNCHANGED, 0)
    everything = _query({**base, "outcome": ALL})
    yield Chip(ALL, "", every, chosen == ALL, everything)
    if 0 < same < every:
        fewer = _query({**base, "outcome": ""})
        yield Chip(CHANGES, "", every - same, not chosen, fewer)
    if run.conflicts or chosen == KEPT:
        # Otherwise the outcomes tell the kept rows.
        meaning = str(_KEPT_MEANING)
        number = kept_count(run) if not base["step"] else None
        query = _query({**base, "outcome": KEPT})
        yield Chip(KEPT, meaning, number, chosen == KEPT, query)
    for outcome in outcomes_of(run):
        count = counts.get(outcome, 0)
        # Outcomes that did not occur aren't offered (OPEN-38), unless the URL selects one.
        if count or outcome == chosen:
            query = _query({**base, "outcome": outcome.value})
            meaning = str(MEANINGS[outcome])
            yield Chip(outcome.value, meaning, count, outcome == chosen, query)


def kept_count(run: ImportRun) -> int:
    """Return how many rows kept values of users, also in part."""
    counts = services.counts_of(run)
    return run.conflicts + sum(counts.get(one, 0) for one in KEPT_OUTCOMES)


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
