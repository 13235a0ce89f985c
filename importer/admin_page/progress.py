"""How far the run is that goes on: counts, rate, time left, and who may stop it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from importer import services
from importer.models import ImportRun

_MINUTE, _HOUR = 60, 3600


class Progress(msgspec.Struct, frozen=True):
    """Hold a run and how far it is; ``rate`` in objects a second, ``left`` in words."""

    run: ImportRun
    percent: int | None
    rate: int | None
    left: str
    counts: Mapping[str, int]
    can_cancel: bool


def progress_of(run: ImportRun) -> Progress:
    """Return how far a run is that goes on."""
    rate = services.rate_of(run)
    left = "" if rate is None or not run.total else _left(run.total - run.done, rate)
    return Progress(
        run=run,
        percent=100 * run.done // run.total if run.total else None,
        rate=None if rate is None else round(rate),
        left=left,
        counts=counts_above_zero(run),
        can_cancel=services.can_cancel(run.run_id),
    )


def counts_above_zero(run: ImportRun) -> dict[str, int]:
    """Return how many objects of a run had each outcome that any had."""
    return {name: n for name, n in services.counts_of(run).items() if n}


def _left(objects: int, rate: float) -> str:
    return in_words(timedelta(seconds=max(1, round(objects / rate))))


def in_words(duration: timedelta) -> str:
    """Return a duration as a reader expects it: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min."""
    seconds = duration.total_seconds()
    if seconds < 10 and seconds != int(seconds):
        return _("%(seconds)s s") % {"seconds": number_format(round(seconds, 1), 1)}
    whole = round(seconds)
    if whole < _MINUTE:
        return _("%(seconds)d s") % {"seconds": whole}
    if whole < _HOUR:
        minutes, rest = divmod(whole, _MINUTE)
        return _("%(minutes)d min %(seconds)d s") % {
            "minutes": minutes,
            "seconds": rest,
        }
    hours, rest = divmod(whole, _HOUR)
    return _("%(hours)d h %(minutes)d min") % {
        "hours": hours,
        "minutes": rest // _MINUTE,
    }


def going_on() -> Progress | None:
    """Return how far the run is that goes on, None if none does."""
    run: Any = services.running_run()
    return None if run is None else progress_of(run)
