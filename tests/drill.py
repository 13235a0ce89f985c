"""How often a drill repeats what it does at random moments: a few times in the suite,
many times under `make drill`."""

from __future__ import annotations

import os


def times(few, many):
    """Return the number of repetitions that is asked for."""
    return many if os.environ.get("DRILL") else few
