"""The progress of a run: counts, rate and time left."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import msgspec
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from importer.models import ImportRun
from importer.runs import reading

_MINUTE, _HOUR = 60, 3600


class RunProgress(msgspec.Struct, frozen=True):
    """A run in progress; ``rate`` in objects a second, ``left`` in words.

    ``position`` is that of a queued run, from 1.
    """

    run: ImportRun
    percent: int | None
    rate: int | None
    left: str
    counts: Mapping[str, int]
    position: int | None = None


def progress_of(run: ImportRun, position: int | None = None) -> RunProgress:
    """Return the progress of a run, or its position in the queue."""
    rate = run.rate
    left = "" if rate is None or not run.total else _left(run.total - run.done, rate)
    return RunProgress(
        run=run,
        percent=100 * run.done // run.total if run.total else None,
        rate=None if rate is None else round(rate),
        left=left,
        counts=counts_above_zero(run),
        position=position,
    )


def counts_above_zero(run: ImportRun) -> dict[str, int]:
    """Return the number of objects with each outcome, without zeros."""
    return {name: n for name, n in reading.counts_of(run).items() if n}


def _left(objects: int, rate: float) -> str:
    return in_words(timedelta(seconds=max(1, round(objects / rate))))


def in_words(duration: timedelta) -> str:
    """Return a duration as text: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min."""
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


def going_on() -> RunProgress | None:
    """Return the progress of the run in progress, None if there is none."""
    run = reading.running_run()
    return None if run is None else progress_of(run)
