"""One client with many connections, which reads nothing and sends next to nothing, beside
a user who wants to work; `docs/reliability.md` has the figures."""

from __future__ import annotations

import sys

import pytest

from tests.drill import seconds, times
from tests.site.host.one_client import measure, signed_in

pytestmark = pytest.mark.process


@pytest.mark.drill
def test_clients_that_neither_read_nor_send_hold_up_nobody(served):
    found = measure(
        served.url,
        served.process.pid,
        signed_in(served.url),
        clients=times(few=30, many=200),
        seconds=times(few=3, many=30),
    )
    # The figures of the drill; shown with -s.
    sys.stdout.write(f"{found.shown()}\n")
    assert found.failed == 0
    assert max(found.live) < seconds(0.5)
    assert found.work_p99 < seconds(1)
    assert found.spooled < 64_000_000
