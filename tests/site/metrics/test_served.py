"""The metrics of a server as a process of its own, at both of their addresses."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.first_start import started_once
from tests.site.host.processes import LIMIT_SECONDS, announced, free_port, start, stop

pytestmark = pytest.mark.process
KEY = "canary-" + "k" * 20


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    data = started_once(tmp_path_factory.mktemp("metrics") / "data")
    own = f"http://127.0.0.1:{free_port()}"
    one = start(data, Platform__Metrics__Url=own, Platform__Metrics__Key=KEY)
    one.own = own
    try:
        announced(one)
        yield one
    finally:
        stop(one)


def read(url, **headers):
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_SECONDS) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def test_its_own_address_serves_the_metrics_and_nothing_else(served):
    served.get("/api/v1/Items")
    wanted = "application/openmetrics-text; version=1.0.0"
    status, headers, text = read(f"{served.own}/metrics", Accept=wanted)
    assert (status, headers["Content-Type"].partition(";")[0]) == (
        200,
        "application/openmetrics-text",
    )
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found["platform_http_responses_total", "GET", "/api/v1/Items", "401"] >= 1
    assert found["platform_ready",] == 1
    assert found["platform_database_up",] == found["platform_disk_up",] == 1
    assert found["platform_threads",] == 8
    assert found["platform_connections",] >= 0
    assert found["platform_server_lock_held",] == 1
    for path in ("/", "/admin/login/", "/health/live", "/api/v1/Items"):
        assert read(f"{served.own}{path}")[0] == 404


def test_the_address_of_the_site_asks_for_the_key(served):
    assert served.get("/metrics")[0] == 401
    assert served.get("/metrics", Authorization="Bearer wrong")[0] == 401
    status, headers, text = served.get("/metrics", Authorization=f"Bearer {KEY}")
    assert (status, headers["Cache-Control"]) == (200, "no-store")
    assert "platform_ready 1.0" in text
    assert served.call("POST", "/metrics", b"", Authorization=f"Bearer {KEY}")[0] == 405
