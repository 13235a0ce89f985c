"""An integrator drives everything over HTTP alone: tokens, a package, runs, a key."""

from __future__ import annotations

import http.client
import json
import re
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.builders import units
from tests.importer.documents.packages import company, line, trade
from tests.journeys.installation import LIMIT_SECONDS, wait_until
from tests.journeys.multipart import package_upload

pytestmark = pytest.mark.process
UNITS, RECEIPTS = 3000, 300


class Integrator:
    """Calls the API with a token or a key, and reads JSON."""

    def __init__(self, url, **headers):
        self.address = urlsplit(url).netloc
        self.headers = headers

    def call(self, method, path, data=None):
        body = None if data is None else json.dumps(data).encode()
        kind = {"Content-Type": "application/json"} if body else {}
        return self.send(method, path, body, kind)

    def send(self, method, path, body, kind):
        link = http.client.HTTPConnection(self.address, timeout=LIMIT_SECONDS)
        link.request(method, f"/api/v1/{path}", body, {**self.headers, **kind})
        answer = link.getresponse()
        text = answer.read().decode()
        link.close()
        return SimpleNamespace(
            status=answer.status,
            json=json.loads(text or "null"),
            headers=answer.headers,
        )

    def upload(self, package, **fields):
        body, kind = package_upload(package.as_bytes(), **fields)
        return self.send("POST", "Import/run", body, kind)

    def run(self, answer):
        assert answer.status == 202, answer.json
        path = f"Import/runs/{answer.json['runId']}"
        assert answer.headers["Location"].endswith(path)
        return self.call("GET", path).json

    def ended(self, answer):
        wait_until(lambda: self.run(answer)["status"] != "Running")
        return self.run(answer)


def goods():
    package = company().with_step("UnitsOfMeasure")
    for number in range(UNITS):
        package.unit(f"u{number}", f"U{number}")
    package.documents("GoodsReceipts", submit=True)
    for number in range(RECEIPTS):
        package.item(f"r{number}", **trade([line(quantity="2"), line("TEA")]))
    return package


def signed_in(url):
    credentials = {"userName": "admin", "password": DEFAULT_ADMIN_PASSWORD}
    answer = Integrator(url).call("POST", "Auth/login", credentials)
    assert answer.status == 200, answer.json
    return Integrator(url, Authorization=f"Bearer {answer.json['token']}")


def test_a_package_goes_from_a_dry_run_to_a_repetition_with_a_key(served):
    """HOST-095."""
    admin = signed_in(served.url)
    package = goods()
    objects = sum(len(step["items"]) for step in package.steps)

    planned = admin.ended(admin.upload(package, dryRun="true"))
    assert (planned["status"], planned["counts"]["Inserted"]) == ("Completed", objects)
    assert planned["progress"] == {"done": objects, "total": objects}

    begun = admin.upload(package)
    assert admin.upload(package).status == 409
    wait_until(lambda: admin.run(begun)["progress"]["done"] > 0)
    done = admin.ended(begun)
    assert (done["status"], done["hasErrors"]) == ("Completed", False)

    path = f"Import/runs/{done['runId']}"
    part = admin.call("GET", f"{path}?outcome=Inserted&offset={UNITS}&limit=5").json
    assert part["report"]["counts"]["Inserted"] == objects
    assert len(part["report"]["items"]) == 5
    changes = admin.call("GET", f"Changes?runId={done['runId']}&pageSize=1").json
    assert changes["count"] == objects
    (event,) = changes["results"]
    assert (event["user"], event["origin"]) == ("admin", "Import")

    third = units(*(f"T{number}" for number in range(20_000)))
    stopped = admin.upload(third)
    wait_until(lambda: admin.run(stopped)["progress"]["done"] > 0)
    run_id = stopped.json["runId"]
    assert admin.call("POST", f"Import/runs/{run_id}/cancel").status == 202
    assert admin.ended(stopped)["status"] == "Interrupted"

    made = served.installation.command("create_api_key", "admin")
    key = re.search(r"pk_\S+", made.stdout)[0]
    keyed = Integrator(served.url, **{"X-Api-Key": key})
    again = keyed.ended(keyed.upload(goods()))
    assert again["counts"]["Unchanged"] == objects
