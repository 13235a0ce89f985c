"""The end of a server that clients hold on to."""

from __future__ import annotations

import time

import pytest

from tests.drill import seconds
from tests.first_start import started_once
from tests.site.host.one_client import BIG_FILE, Clients
from tests.site.host.processes import announced, start, stop

pytestmark = pytest.mark.process


def test_the_server_ends_in_order_while_clients_neither_read_nor_send(tmp_path):
    served = start(started_once(tmp_path / "data"))
    announced(served)
    with Clients(served.url) as crowd:
        for _ in range(20):
            crowd.ask_and_not_read(BIG_FILE)
            crowd.drip(900_000, 100_000)
        assert served.get("/health/live")[0] == 200
        begun = time.monotonic()
        assert stop(served) == 0
        assert time.monotonic() - begun < seconds(30)
