"""Servers are killed while a shop enters orders and is told of them: no order is there
twice, and every one is told, signed, in order.

``DRILL_KILLS=200`` sets how many are killed, in the suite one.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import sys
import threading
import time
from urllib.parse import urlsplit

import pytest

from tests.catalogs.processors.source import write_certificate
from tests.drill import times
from tests.environment import asked
from tests.importer.documents.packages import HEAD, company
from tests.journeys.installation import (
    BOTH,
    LIMIT_SECONDS,
    installed,
    require_server,
    wait_until,
)
from tests.nodes.cluster import cluster_in
from tests.webhooks.receiver import receiving

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform != "linux", reason="There is no kill -9."),
]
KILLS = int(asked("DRILL_KILLS") or times(few=1, many=200))
# The free licence has 1,000 documents in a month.
ORDERS = min(4, 900 // KILLS)
CREATE = """
from platform_site.accounts.models import User
from platform_site.webhooks.services import create_webhook
admin = User.objects.get(username="admin")
values = {{"url": "{url}", "events": ["record.changed"], "models": ["SalesOrders"]}}
print(create_webhook(user=admin, values=values).secret)
"""


class OneServer:
    """A server that is started again after each kill."""

    def __init__(self, installation):
        self.installation = installation
        self._life = contextlib.ExitStack()

    def start(self):
        self.process = self._life.enter_context(self.installation.serving())

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._life.close()
        self.start()

    def stop(self):
        self._life.close()

    @property
    def url(self):
        return self.installation.url


class ThreeServers:
    """The nodes of a cluster, any of which is killed while the others go on."""

    def __init__(self, cluster):
        self.installation = cluster.installation
        self._nodes = cluster.nodes

    def start(self):
        """They serve already."""

    def kill(self):
        node = random.choice(self._nodes)
        node.is_ready = False
        node.kill()
        node.start()
        node.ready()

    def stop(self):
        """Whoever made the cluster ends it."""

    @property
    def url(self):
        return random.choice([one for one in self._nodes if one.is_ready]).served.url


class Shop(threading.Thread):
    """Enters orders, each until it knows that it is there."""

    def __init__(self, servers, key):
        super().__init__(daemon=True)
        self._servers, self._key = servers, key
        self._allowed = threading.Semaphore(0)
        self._over = False
        self.entered = {}

    def allow(self, count):
        for _number in range(count):
            self._allowed.release()

    def end(self):
        self._over = True
        self._allowed.release()
        self.join(LIMIT_SECONDS)
        assert not self.is_alive()

    def run(self):
        number = 0
        while self._allowed.acquire() and not self._over:
            name = f"order {number}"
            self.entered[name] = self._enter(name)
            number += 1

    def _enter(self, name):
        order = {**HEAD, "date": "2026-11-02", "comment": name}
        order["lines"] = [{"itemId": {"$code": "TEA"}, "quantity": 2, "price": "1.50"}]
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                status, answer = self._post(
                    "SalesOrders", order, name.replace(" ", "-")
                )
                if status == 201:
                    return answer["id"]
                assert status in (409, 503), answer
            time.sleep(0.05)

    def _post(self, path, body, repeated):
        address = urlsplit(self._servers.url).netloc
        line = http.client.HTTPConnection(address, timeout=LIMIT_SECONDS)
        headers = {
            "Content-Type": "application/json",
            "X-Api-Key": self._key,
            "Idempotency-Key": repeated,
        }
        try:
            line.request("POST", f"/api/v1/{path}", json.dumps(body), headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            line.close()


@pytest.fixture
def receiver(tmp_path):
    certificate = write_certificate(tmp_path)
    with receiving(certificate) as one:
        one.settings = {
            "SSL_CERT_FILE": str(certificate),
            "Webhooks__AllowPrivate": "true",
        }
        yield one


@pytest.mark.parametrize("kind", BOTH)
def test_a_killed_server_loses_and_repeats_nothing(kind, receiver, tmp_path):
    with installed(kind, tmp_path / "data", **receiver.settings) as one:
        _drill(OneServer(one), receiver)


def test_killed_nodes_lose_and_repeat_nothing(receiver, tmp_path):
    require_server()
    with cluster_in(tmp_path, **receiver.settings) as cluster:
        _drill(ThreeServers(cluster), receiver)


def _drill(servers, receiver):
    one = servers.installation
    package = one.data.parent / "company.json"
    package.parent.mkdir(parents=True, exist_ok=True)
    package.write_bytes(company().as_bytes())
    said(one.command("import_package", package, "--user", "admin"))
    receiver.secret = said(one.command("shell", "-c", CREATE.format(url=receiver.url)))
    key = said(one.command("create_api_key", "admin", "--name", "Shop"))
    servers.start()
    shop = Shop(servers, key)
    shop.start()
    try:
        for _kill in range(KILLS):
            shop.allow(ORDERS)
            time.sleep(random.uniform(0, 1))
            servers.kill()
        count = KILLS * ORDERS
        wait_until(lambda: len(shop.entered) == count)
        waits = "SELECT count(*) FROM webhooks_delivery WHERE sent_at IS NULL"
        wait_until(lambda: len(told(receiver)) >= count and one.rows(waits) == [(0,)])
    finally:
        shop.end()
        servers.stop()
    check(one, shop, receiver)


def said(done):
    """Return the last line of a command."""
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[-1]


def told(receiver):
    return set(receiver.ids)


def check(one, shop, receiver):
    orders = dict(one.rows("SELECT id, comment FROM documents_salesorder"))
    assert sorted(orders.values()) == sorted(shop.entered)
    assert orders == {key: name for name, key in shop.entered.items()}
    created = one.rows(
        "SELECT id, row_id FROM changes_changeevent"
        " WHERE model = 'SalesOrders' AND action = 'created' ORDER BY id"
    )
    assert {row for _event, row in created} == set(orders)
    first = list(dict.fromkeys(receiver.changes))
    assert first == [event for event, _row in created]
    # Only what was on its way when a process died comes again.
    assert len(receiver.messages) <= len(first) + KILLS
    assert receiver.forged == []
