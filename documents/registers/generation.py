"""Counts how often the registers changed in this process: posting says so, and whoever
keeps something added up from them asks whether it still holds."""

from __future__ import annotations

import itertools
from typing import Final

from django.db import transaction

_numbers: Final = itertools.count(1)


class _Process:
    """Hold the number; a run that posts thousands of documents only counts on."""

    generation = 0


def note_change() -> None:
    """Count one more when the transaction commits, and not if it does not."""
    transaction.on_commit(_count)


def generation() -> int:
    """Return a number that is another after every change."""
    return _Process.generation


def _count() -> None:
    # One step of the interpreter, so that threads need no lock.
    _Process.generation = next(_numbers)
