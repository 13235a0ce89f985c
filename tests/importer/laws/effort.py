"""How many examples the laws are tried on: few in daily work, thousands in a drill.

`LAWS=ci`, `LAWS=drill` or a number of times asks for more, and for other examples each
time it is run.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

_asked = os.environ.get("LAWS", "")
_times = int({"": "1", "ci": "5", "drill": "100"}.get(_asked, _asked))


def effort(examples, *, explain=False):
    phases = [phase for phase in Phase if explain or phase is not Phase.explain]
    return settings(
        max_examples=examples * _times,
        # Without being asked for more, everybody tries the same examples.
        derandomize=not _asked,
        database=None,
        deadline=None,
        phases=phases,
        print_blob=True,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
        ],
    )
