"""Every code of a problem is reached by a request, and the page of errors lists it."""

from __future__ import annotations

import errno
import json
from http import HTTPStatus
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.utils import timezone

from importer import services as imports
from importer.models import ImportRun
from importer.services import ImportInProgress, PlanStale
from platform_site.accounts.models import User
from platform_site.changes.models import ArchivedChanges
from platform_site.idempotency import services as idempotency
from platform_site.records import services
from platform_site.site.api.problems import KINDS
from platform_site.site.host.refused_requests import RefusedError
from tests.builders import stream, units
from tests.catalogs.rows import a_unit, an_item
from tests.documents.rows import World
from tests.house import errors_page
from tests.site.api.callers import a_user, with_key

pytestmark = pytest.mark.django_db
A_UNIT = {"code": "m", "name": "Metre"}


class Site:
    """A caller who may do everything, and what happens behind the requests."""

    def __init__(self, monkeypatch, licensed):
        self.caller = with_key("admin")
        self.monkeypatch, self.licensed = monkeypatch, licensed

    def unit(self):
        return f"/UnitsOfMeasure/{a_unit(code='kg', name='Kilogram').pk}"

    def failing(self, refusal, module=services, name="create_record"):
        """Let a service fail with an exception from now on."""

        def fail(*args, **kwargs):
            raise refusal

        self.monkeypatch.setattr(module, name, fail)
        return self.caller

    def run(self):
        """Carry out a run, and return its path."""
        admin = User.objects.get(username="admin")
        report = imports.import_package(stream(units("kg")), user=admin)
        return f"/Import/runs/{report.run_id}"


def not_enough_stock(site):
    world = World()
    issue = world.issue((world.rice, 10, 2), post=False)
    return site.caller.post(f"/GoodsIssues/{issue.pk}/post")


def limit_reached(site):
    world = World()
    site.licensed(linesPerDocument=1)
    line = {"itemId": world.rice.pk, "quantity": 1, "price": 1}
    order = {"date": "2026-03-01", "counterpartyId": world.partner.pk}
    order |= {"currencyId": world.eur.pk, "lines": [line, line]}
    return site.caller.post("/SalesOrders", order)


def gone(site):
    path = site.unit()
    site.caller.delete(path)
    return site.caller.get(path)


def changes_archived(site):
    ArchivedChanges.objects.create(
        file="/archived.jsonl.gz",
        count=1,
        first_id=1,
        last_id=1,
        first_at=timezone.now(),
        last_at=timezone.now(),
    )
    return site.caller.get("/Changes?after=0")


def too_slow(site):
    # The server's own answer, which never reaches Django.
    refusal = RefusedError(HTTPStatus.REQUEST_TIMEOUT, "Too slow.")
    kind = dict(refusal.headers)[b"content-type"].decode()
    status = refusal.status
    return HttpResponse(refusal.content, status=status, content_type=kind)


def row_in_use(site):
    path = site.unit()
    an_item(unitOfMeasureId=int(path.rpartition("/")[2]))
    return site.caller.delete(path)


def changed_meanwhile(site):
    return site.caller.patch(site.unit(), {"name": "x"}, If_Match='"7"')


def plan_stale(site):
    stale = PlanStale(ImportRun(run_id=uuid4(), counts={}), "It is too old.")
    return site.failing(stale, imports, "start_plan").post(
        "/Import/run", {"plan": str(uuid4())}
    )


def request_in_progress(site):
    site.monkeypatch.setattr(idempotency, "_taken", lambda name: False)
    key = {"Idempotency-Key": "a"}
    return site.caller.post("/UnitsOfMeasure", A_UNIT, **key)


def idempotency_mismatch(site):
    key = {"Idempotency-Key": "a"}
    site.caller.post("/UnitsOfMeasure", A_UNIT, **key)
    return site.caller.post("/UnitsOfMeasure", {**A_UNIT, "code": "n"}, **key)


def too_many_attempts(site):
    body = {"userName": "emma", "password": "wrong"}
    for _ in range(5):
        site.caller.post("/Auth/login", body)
    return site.caller.post("/Auth/login", body)


def not_signed_in(site):
    site.caller.headers = {}
    return site.caller.get("/Items")


def not_allowed(site):
    a_user("nina")
    return with_key("nina").get("/Items")


def too_large(site):
    return site.caller.post("/Items", b'{"code": "' + b"x" * (11 << 20) + b'"}')


REACHED = {
    "invalid": lambda site: site.caller.post("/Items", {}),
    "unknown-parameter": lambda site: site.caller.get("/Items?nonsense=1"),
    "not-enough-stock": not_enough_stock,
    "not-signed-in": not_signed_in,
    "not-allowed": not_allowed,
    "limit-reached": limit_reached,
    "not-found": lambda site: site.caller.get("/Items/987654"),
    "method-not-allowed": lambda site: site.caller.delete("/Items"),
    "not-acceptable": lambda site: site.caller.get("/Items", Accept="text/html"),
    "too-slow": too_slow,
    "import-in-progress": lambda site: site.failing(
        ImportInProgress(None), imports, "start_run"
    ).post("/Import/run", {"package": "demo-company"}),
    "row-in-use": row_in_use,
    "run-ended": lambda site: site.caller.post(f"{site.run()}/cancel"),
    "run-unsuitable": lambda site: site.caller.get(f"{site.run()}/failed"),
    "plan-stale": plan_stale,
    "request-in-progress": request_in_progress,
    "gone": gone,
    "changes-archived": changes_archived,
    "length-required": lambda site: site.caller.post(
        "/Import/run", **{"Transfer-Encoding": "chunked"}
    ),
    "changed-meanwhile": changed_meanwhile,
    "too-large": too_large,
    "unsupported-media-type": lambda site: site.caller.post(
        "/Items", b"<a/>", Content_Type="text/xml"
    ),
    "idempotency-mismatch": idempotency_mismatch,
    "too-many-attempts": too_many_attempts,
    "internal": lambda site: site.failing(ZeroDivisionError()).post(
        "/UnitsOfMeasure", A_UNIT
    ),
    "unavailable": lambda site: site.failing(OperationalError("gone away")).post(
        "/UnitsOfMeasure", A_UNIT
    ),
    "out-of-space": lambda site: site.failing(OSError(errno.ENOSPC, "full")).post(
        "/UnitsOfMeasure", A_UNIT
    ),
}


@pytest.mark.parametrize("code", KINDS)
def test_a_request_reaches_the_code(code, monkeypatch, licensed):
    answer = REACHED[code](Site(monkeypatch, licensed))
    body = json.loads(answer.content)
    assert (body["code"], answer.status_code) == (code, KINDS[code].status), body
    assert body["type"] == f"/problems/{code}"
    if code in errors_page.RETRY_LATER:
        assert int(answer["Retry-After"]) > 0


def test_the_page_of_errors_is_current():
    again = "Run `python -m tests.house.errors_page` to write it anew."
    assert errors_page.PAGE.read_text("utf-8") == errors_page.render(), again


def test_an_answer_of_another_type_than_accepted_is_not_given(admin):
    for accepted in ("application/json", "application/*", "text/html, */*;q=0.1"):
        assert admin.get("/Items", Accept=accepted).status_code == 200
    assert admin.get("/Items?format=csv", Accept="text/csv").status_code == 200
    assert admin.get("/Items?format=csv", Accept="application/json").status_code == 406
    # What was done is answered.
    assert admin.post("/UnitsOfMeasure", A_UNIT, Accept="text/html").status_code == 201
