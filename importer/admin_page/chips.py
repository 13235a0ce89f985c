"""The filters of a report's entries, as chips with the number of objects (IMP-275)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.utils.translation import gettext_lazy

from importer import services
from importer.admin_page.forms import ALL, KEPT
from importer.models import ImportRun
from importer.package.shapes import KEPT as KEPT_OUTCOMES, Outcome
from importer.package.undo_results import UndoOutcome
from importer.runs.reading import outcomes_of

# The chip of everything but unchanged objects, which is chosen at first.
CHANGES = "changes"
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


class Chip(msgspec.Struct, frozen=True):
    """A filter by outcome: its number of objects, if it is known, and its link."""

    outcome: str
    meaning: str
    count: int | None
    chosen: bool
    query: str


def query_of(values: dict[str, Any]) -> str:
    """Return a query string without empty values."""
    return urlencode({name: value for name, value in values.items() if value})


def chips_of(
    run: ImportRun, counts: dict[str, int], chosen: str, base: dict[str, Any]
) -> Iterator[Chip]:
    """Yield the chips for the counts of a run or of one of its steps."""
    every, same = sum(counts.values()), counts.get(Outcome.UNCHANGED, 0)
    everything = query_of({**base, "outcome": ALL})
    yield Chip(ALL, "", every, chosen == ALL, everything)
    if 0 < same < every:
        fewer = query_of({**base, "outcome": ""})
        yield Chip(CHANGES, "", every - same, not chosen, fewer)
    if run.conflicts or chosen == KEPT:
        # Otherwise the outcomes tell the kept rows.
        meaning = str(_KEPT_MEANING)
        number = kept_count(run) if not base["step"] else None
        query = query_of({**base, "outcome": KEPT})
        yield Chip(KEPT, meaning, number, chosen == KEPT, query)
    for outcome in outcomes_of(run):
        count = counts.get(outcome, 0)
        # Outcomes that did not occur aren't offered (OPEN-38), unless the URL selects one.
        if count or outcome == chosen:
            query = query_of({**base, "outcome": outcome.value})
            meaning = str(MEANINGS[outcome])
            yield Chip(outcome.value, meaning, count, outcome == chosen, query)


def kept_count(run: ImportRun) -> int:
    """Return how many rows kept values of users, also in part."""
    counts = services.counts_of(run)
    return run.conflicts + sum(counts.get(one, 0) for one in KEPT_OUTCOMES)
