"""The history of real runs, with filters and pages (IMP-274, OPEN-49)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.core.paginator import Paginator
from django.http import QueryDict

from importer import services
from importer.admin_page.forms import HistoryForm, asked
from importer.models import ImportRun
from importer.runs.progress import counts_above_zero, in_words

PAGE = 20
# Earlier midnights are out of range in some zone, and there were no runs.
_FIRST_DAY: Final = date(1970, 1, 1)
_FILTERS = {
    "package": "package",
    "who": "started_by_name",
    "how": "started_via",
    "status": "status",
}


def history(query: QueryDict, zone: ZoneInfo) -> dict[str, Any]:
    """Return a page of the history with its filters; a day is one of the given zone."""
    wanted = asked(HistoryForm(query))
    chosen = {name: wanted[name] for name in _FILTERS if wanted[name]}
    runs = ImportRun.objects.real().listed()
    runs = runs.filter(**{_FILTERS[name]: value for name, value in chosen.items()})
    day = wanted["day"]
    if day is not None:
        chosen["day"] = day.isoformat()
        runs = runs.filter(**_within(day, zone))
    found = Paginator(runs, PAGE).get_page(wanted["page"] or 1)
    shown = list(found)
    undone = services.undone_of(shown)
    return {
        "runs": [_line(services.up_to_date(run), undone) for run in shown],
        "pages": found,
        "filtered": bool(chosen),
        "kept_query": urlencode(chosen),
        "filters": {name: _choices(name, wanted[name] or "") for name in _FILTERS},
        "day": chosen.get("day", ""),
    }


def _within(day: date, zone: ZoneInfo) -> dict[str, datetime]:
    """Return the condition of runs that started on a day."""
    first = datetime.combine(max(day, _FIRST_DAY), time(), zone)
    try:
        return {"started_at__gte": first, "started_at__lt": first + timedelta(days=1)}
    except OverflowError:
        return {"started_at__gte": first}


def _line(run: ImportRun, undone: Collection[UUID]) -> dict[str, Any]:
    took = None if run.finished_at is None else run.finished_at - run.started_at
    return {
        "run": run,
        "undone": run.run_id in undone,
        "counts": counts_above_zero(run),
        "took": "" if took is None else in_words(took),
    }


def _choices(name: str, chosen: str) -> list[tuple[str, str, bool]]:
    """Return the choices of a filter: values, labels, and which one is selected."""
    if name == "how":
        return [
            (v, str(label), v == chosen) for v, label in ImportRun.StartedVia.choices
        ]
    column = _FILTERS[name]
    values = ImportRun.objects.real().order_by(column).values_list(column, flat=True)
    known = [value for value in values.distinct() if value]
    if chosen and chosen not in known:
        known.append(chosen)
    return [(value, value, value == chosen) for value in known]
