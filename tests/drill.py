"""How often is repeated what happens at random moments or on random examples: a few times
in the suite, many times and with other examples each time under `make drill`."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

from tests.environment import asked

DRILL = bool(asked("DRILL"))
# How many times more than in the suite.
_MORE = int(asked("DRILL_TIMES") or 20)
# Longer than anything takes that does not hang, also on a machine that is busy.
_HANGS_SECONDS = 120


def times(few, many):
    """Return the number of repetitions that is asked for."""
    return many if DRILL else few


def seconds(most):
    """Return how many seconds something may take.

    It is timed in a drill, where nothing else runs; elsewhere only a hang is a failure.
    """
    return most if DRILL else _HANGS_SECONDS


def effort(examples, *, explain=False):
    """Return how a law is tried: on so many examples, and in a drill on many more."""
    phases = [phase for phase in Phase if explain or phase is not Phase.explain]
    return settings(
        max_examples=times(examples, examples * _MORE),
        # Outside of drills everybody tries the same examples.
        derandomize=not DRILL,
        database=None,
        deadline=None,
        phases=phases,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
