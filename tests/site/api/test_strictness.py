"""The description of the API walked operation by operation: what it doesn't name is
refused, with a code and a suggestion."""

from __future__ import annotations

import re
import uuid

import pytest
from django.test import Client
from django.utils import timezone

from catalogs.models import Account, Constant
from importer.services import create_source
from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import Role
from platform_site.records.services import create_record
from platform_site.scheduling.models import Job, JobExecution
from tests.catalogs.rows import a_row, a_unit, an_item, boss
from tests.documents.rows import World
from tests.site.api.callers import checked

pytestmark = pytest.mark.django_db
DESCRIPTION = "/swagger/v1/swagger.json"
METHODS = ("get", "post", "put", "patch", "delete")
A_SOURCE = "price_list"
A_CONSTANT = {"name": "VAT", "effectiveDate": "2026-01-01", "value": "21"}


def operations():
    """Return (method, path, operation) of everything described."""
    described = Client().get(DESCRIPTION).json()
    found = [
        (method.upper(), path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    ]
    assert len(found) > 100
    return found


def with_nothing_behind(path):
    path = re.sub(r"(?<=/Files/){id}|{runId}", str(uuid.uuid4()), path)
    return re.sub(r"{\w+}", "987654", path)


def parameters(operation):
    listed = operation.get("parameters", ())
    return [each["name"] for each in listed if each["in"] == "query"]


def tried(path, operation):
    """Return the parameters to try: not all filters of every list, which are alike."""
    names = parameters(operation)
    is_alike = path not in ("/api/v1/Items", "/api/v1/SalesOrders") and len(names) > 12
    return names[::5] if is_alike else names


def refused(answer):
    """Return the problem of a refusal, an empty one of anything else."""
    return checked(answer).json() if answer.status_code == 400 else {"code": None}


def test_an_unknown_parameter_is_refused_by_every_operation(admin):
    wrong = {}
    for method, path, operation in operations():
        asked = f"{with_nothing_behind(path)}?nonsense=1"
        body = refused(admin.call(method, asked))
        told = (body["code"], body.get("parameter"), body.get("didYouMean"))
        known = set(body.get("known", ())) == set(parameters(operation))
        if told != ("unknown-parameter", "nonsense", None) or not known:
            wrong[method, path] = body
    assert wrong == {}


def test_a_parameter_that_is_nearly_right_is_suggested_by_every_operation(admin):
    wrong = {}
    for method, path, operation in operations():
        known = parameters(operation)
        for name in known[:3]:
            misspelt = f"{name.upper()}_"
            body = refused(
                admin.call(method, f"{with_nothing_behind(path)}?{misspelt}=1")
            )
            told = (body["code"], body.get("didYouMean"))
            if told != ("unknown-parameter", name) or name not in body["detail"]:
                wrong[method, path, name] = body
    assert wrong == {}


def test_a_repeated_parameter_is_refused_by_every_operation(admin):
    wrong = {}
    for method, path, operation in operations():
        for name in tried(path, operation):
            asked = f"{with_nothing_behind(path)}?{name}=1&{name}=2"
            body = refused(admin.call(method, asked))
            if (body["code"], body.get("parameter")) != ("unknown-parameter", name):
                wrong[method, path, name] = body
    assert wrong == {}


def test_a_described_parameter_is_known_to_every_operation(admin):
    wrong = {}
    for method, path, operation in operations():
        for name in tried(path, operation):
            asked = f"{with_nothing_behind(path)}?{name}=1"
            body = refused(admin.call(method, asked))
            codes = body.get("errorCodes", {}).values()
            if body["code"] == "unknown-parameter" or ["unknown-property"] in codes:
                wrong[method, path, name] = body
    assert wrong == {}


@pytest.fixture
def there(db):
    """Return the keys of rows that are there, by the names of their kinds."""
    world = World()
    job = Job.objects.create(
        name="nightly", processor="RecalculateCosts", cron="0 2 * * *"
    )
    columns = [{"property": "code", "column": "code"}]
    create_source(
        {"name": A_SOURCE, "target": "Items", "columns": columns, "key": ["code"]}
    )
    rows = [
        a_unit(code="box"),
        an_item(code="ROW"),
        world.partner,
        world.main,
        world.eur,
        world.bank,
        world.receipt((world.rice, 10, 2)),
        world.issue((world.rice, 1, 2), post=False),
        world.order((world.rice, 1, 2)),
        world.payment(1, post=False),
        a_row(Account, isFolder=True),
        create_record(model=Constant, data=A_CONSTANT, actor=boss()),
        boss(),
        create_api_key(user=boss(), name="shop")[0],
        Role.objects.get(name="user"),
        job,
    ]
    keys = {row.catalog_name: row.pk for row in rows}
    execution = JobExecution.objects.create(
        job=job, processor=job.processor, due_at=timezone.now()
    )
    requested = JobExecution.objects.create(
        processor=job.processor, due_at=timezone.now(), requested_by=boss()
    )
    return {**keys, "JobExecutions": execution.pk, "Executions": requested.pk}


def test_an_unknown_property_is_refused_by_every_operation(admin, there):
    wrong, judged = {}, 0
    for method, path, operation in operations():
        name = [*path.split("/"), ""][3]
        judged += 1
        key = there.get(name)
        path = path if key is None else path.replace("{id}", str(key))
        path = path.replace("{name}", A_SOURCE)
        path = with_nothing_behind(path)
        content = operation.get("requestBody", {}).get("content", {})
        if content and "application/json" not in content:
            given = {"file": "", "nonsense": "1"}
            answer = admin.client.post(
                path, given, format="multipart", headers=admin.headers
            )
        else:
            answer = admin.call(method, path, {"nonsense": 1})
        body = refused(answer)
        codes = body.get("errorCodes", {}).get("nonsense")
        if (body["code"], codes) != ("invalid", ["unknown-property"]):
            wrong[method, path] = body
    assert wrong == {}
    assert judged > 100


def test_every_operation_documents_its_problems():
    for method, path, operation in operations():
        for status in ("400", "503"):
            answer = operation["responses"][status]
            schema = answer["content"]["application/problem+json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Problem"}, (method, path)


def test_a_misspelt_property_is_not_dropped(employee):
    answer = employee.post("/Items", {"prise": "3", "code": "A", "isFolder": True})
    body = refused(answer)
    assert body["errorCodes"]["prise"] == ["unknown-property"]
    assert 'Did you mean "price"?' in body["errors"]["prise"][0]


def test_a_misspelt_property_of_a_line_is_named_with_its_line(employee, there):
    line = {"itemId": there["Items"], "quantity": 1, "price": 1}
    lines = [line, {**line, "quantty": 2}]
    path = f"/GoodsIssues/{there['GoodsIssues']}"
    body = refused(employee.patch(path, {"lines": lines}))
    assert body["errorCodes"] == {"lines[1].quantty": ["unknown-property"]}
    assert '"quantity"' in body["errors"]["lines[1].quantty"][0]


def test_a_report_of_another_day_is_not_that_of_today(reader):
    body = refused(reader.get("/Reports/LedgerBalances?as_of=2020-01-01"))
    assert (body["parameter"], body["didYouMean"]) == ("as_of", "asOf")


def test_a_bad_value_of_a_known_parameter_is_named(reader):
    for path in ("/Items?pageSize=x", "/Changes?rowId=x", "/Items?priceFrom=x"):
        body = refused(reader.get(path))
        name = re.search(r"\?(\w+)=", path)[1]
        assert (body["code"], set(body["errors"])) == ("invalid", {name})
        assert set(body["errorCodes"]) == {name}


def test_what_was_read_can_be_written_back(employee, there):
    for kind in ("Items", "GoodsReceipts", "GoodsIssues", "UnitsOfMeasure"):
        path = f"/{kind}/{there[kind]}"
        row = employee.get(path).json()
        answer = employee.put(path, row)
        assert answer.status_code == 200, answer.content
        assert answer.json() == row


def test_a_read_only_property_cannot_be_given_another_value(employee, there):
    path = f"/GoodsIssues/{there['GoodsIssues']}"
    for values in ({"total": "99"}, {"isActive": True}, {"id": 5_000}, {"total": None}):
        body = refused(employee.patch(path, values))
        (name,) = values
        assert body["errorCodes"] == {name: ["read-only"]}
    row = employee.get(path).json()
    assert employee.patch(path, {"total": float(row["total"])}).status_code == 200
    body = refused(
        employee.post("/UnitsOfMeasure", {"id": 5, "code": "m", "name": "m"})
    )
    assert body["errorCodes"] == {"id": ["read-only"]}
    assert employee.made("/UnitsOfMeasure", id=None, code="m", name="m")["id"]


def test_properties_beside_the_overrides_are_not_dropped(employee, there):
    path = f"/GoodsIssues/{there['GoodsIssues']}/create/BankReceipts"
    body = refused(employee.post(path, {"overrides": {}, "comment": "x"}))
    assert body["errorCodes"] == {"comment": ["unknown-property"]}


def test_misspelt_overrides_are_not_taken_for_a_property_of_the_copy(employee, there):
    path = f"/GoodsIssues/{there['GoodsIssues']}/create/BankReceipts"
    body = refused(employee.post(path, {"overides": {"comment": "x"}}))
    assert body["errors"] == {
        "overides": ['Unknown property "overides". Did you mean "overrides"?']
    }


def test_a_property_given_twice_is_refused(employee):
    body = refused(employee.post("/UnitsOfMeasure", b'{"code": "a", "code": "b"}'))
    assert body["code"] == "invalid"
    assert "the key “code” twice" in body["detail"]
