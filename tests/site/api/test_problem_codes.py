"""Each refusal has a code that no language changes, and the members that a program needs
to act on it."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest

from importer import services as imports
from importer.services import ImportInProgress
from platform_site.accounts.services import create_user
from platform_site.site.api.problems import KINDS
from tests.catalogs.rows import a_unit, an_item
from tests.documents.rows import World
from tests.site.api.callers import PASSWORD

pytestmark = pytest.mark.django_db


def problem(answer, code):
    body = answer.json()
    assert body["code"] == code, body
    return body


def test_a_row_in_use_names_who_uses_it(employee):
    unit = a_unit()
    for number in range(7):
        an_item(code=f"I{number}", unitOfMeasureId=unit.pk)
    answer = employee.delete(f"/UnitsOfMeasure/{unit.pk}")
    body = problem(answer, "row-in-use")
    assert (answer.status_code, body["count"], len(body["usedBy"])) == (409, 7, 5)
    assert {each["model"] for each in body["usedBy"]} == {"Items"}
    assert set(body["usedBy"][0]) == {"model", "id", "name"}


def test_a_missing_right_is_named(reader):
    body = problem(reader.post("/Items", {}), "not-allowed")
    assert body["right"] == "catalogs.add_item"
    body = problem(reader.post("/Processors/RecalculateCosts", {}), "not-allowed")
    assert body["right"] == "ExecuteRecalculateCosts"


def test_a_limit_is_named_with_its_numbers(employee, licensed):
    world = World()
    licensed(linesPerDocument=1)
    line = {"itemId": world.rice.pk, "quantity": 1, "price": 1}
    values = {
        "date": "2026-03-01",
        "counterpartyId": world.partner.pk,
        "currencyId": world.eur.pk,
        "warehouseId": world.main.pk,
    }
    answer = employee.post("/SalesOrders", {**values, "lines": [line, line]})
    body = problem(answer, "limit-reached")
    told = (body["limit"], body["used"], body["allowed"])
    assert told == ("linesPerDocument", 2, 1)


def test_a_shortage_is_listed(employee):
    world = World()
    issue = world.issue((world.rice, 10, 2), post=False)
    answer = employee.post(f"/GoodsIssues/{issue.pk}/post")
    body = problem(answer, "not-enough-stock")
    assert answer.status_code == 400
    (shortage,) = body["shortages"]
    assert (shortage["itemCode"], shortage["warehouseCode"]) == ("RICE", "MAIN")


def test_a_row_that_changed_says_its_version(employee):
    unit = a_unit()
    path = f"/UnitsOfMeasure/{unit.pk}"
    employee.patch(path, {"name": "a"})
    answer = employee.patch(path, {"name": "b"}, If_Match='"1"')
    assert problem(answer, "changed-meanwhile")["version"] == 2


def test_an_import_in_progress_says_which(admin, monkeypatch):
    busy = ImportInProgress(None)
    busy.run_id, busy.package = uuid.uuid4(), "prices"
    busy.started_by, busy.started_at = "emma", datetime(2026, 3, 1, tzinfo=UTC)

    def refuse(*args, **options):
        raise busy

    monkeypatch.setattr(imports, "start_run", refuse)
    answer = admin.post("/Import/run", {"package": "demo-company"})
    body = problem(answer, "import-in-progress")
    assert (body["runId"], body["package"]) == (str(busy.run_id), "prices")
    assert (body["startedBy"], body["startedAt"]) == ("emma", "2026-03-01T00:00:00Z")
    assert int(answer["Retry-After"]) > 0


def test_a_missing_row_is_distinguished_from_a_missing_path(employee):
    body = problem(employee.get("/Items/17"), "not-found")
    assert body["detail"] == "The row 17 of Items doesn't exist."
    unit = a_unit()
    path = f"/UnitsOfMeasure/{unit.pk}"
    employee.delete(path)
    body = problem(employee.get(path), "gone")
    assert body["detail"] == (
        f"The row {unit.pk} of UnitsOfMeasure is deleted; restore it first. To read a "
        "deleted row, add deleted=true."
    )
    assert employee.get(f"{path}?deleted=true").status_code == 200
    problem(employee.get("/nothing"), "not-found")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b" ", "a value is missing or invalid (line 1, column 2)"),
        (b'{"code": "a"', "the JSON ends in the middle of a value (line 1, column 13)"),
        (b'{"code": "a"\n"name": 1}', "a comma is missing (line 2, column 1)"),
        (b"{} {}", "there is content after the end of the value (line 1, column 4)"),
        (b'{"code": "\\ud800"}', "a string contains half a surrogate pair"),
    ],
)
def test_invalid_json_is_refused_with_the_reason_and_the_place(employee, body, reason):
    answer = employee.post("/UnitsOfMeasure", body, Content_Type="application/json")
    told = problem(answer, "invalid")["detail"]
    assert told == f"The body isn't valid JSON: {reason}."


def test_what_never_reaches_a_view_has_its_code(employee, anonymous, settings):
    problem(anonymous.get("/Items"), "not-signed-in")
    problem(employee.delete("/Items"), "method-not-allowed")
    answer = employee.post("/Items", b"<a/>", Content_Type="text/xml")
    problem(answer, "unsupported-media-type")
    large = b'{"code": "' + b"x" * (11 * 1024 * 1024) + b'"}'
    body = problem(employee.post("/Items", large), "too-large")
    assert body["limit"] == 10 * 1024 * 1024
    settings.ALLOWED_HOSTS = ["shop.example"]
    problem(employee.get("/Items", Host="evil.example"), "invalid")


def test_the_code_is_the_same_in_every_language(employee):
    german = employee.get("/Items/17", Accept_Language="de")
    assert problem(german, "not-found")["type"] == "/problems/not-found"


def test_too_many_attempts_say_when_to_come_again(anonymous):
    create_user(user_name="emma", password=PASSWORD)
    body = {"userName": "emma", "password": "wrong"}
    for _ in range(5):
        problem(anonymous.post("/Auth/login", body), "not-signed-in")
    answer = anonymous.post("/Auth/login", body)
    problem(answer, "too-many-attempts")
    assert int(answer["Retry-After"]) > 0


def test_every_kind_is_listed_for_everybody(client):
    listed = client.get("/problems").json()["results"]
    assert {each["code"] for each in listed} == set(KINDS)
    assert all(each["title"] and each["remedy"] for each in listed)
    for each in listed:
        assert client.get(each["type"]).json() == each
    page = client.get("/problems", headers={"Accept": "text/html"})
    assert page["Content-Type"].startswith("text/html")
    assert 'id="not-enough-stock"' in page.content.decode()
    assert client.get("/problems/nonsense").status_code == 404
