"""Every example of a request in the description is sent to an installation with the demo
company, and answered as the description says."""

from __future__ import annotations

import uuid

import pytest
from jsonschema import Draft202012Validator

from demo.seeding import seed
from importer import services
from platform_site.accounts.models import User
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.site.api.callers import PASSWORD, Caller, a_user, with_token

pytestmark = [pytest.mark.django_db, pytest.mark.once]
DESCRIPTION = "/swagger/v1/swagger.json"
# Examples about runs need runs; the tests of the importer send such bodies.
ABOUT_RUNS = {"decideImportRun", "undoImportRun"}
PUBLIC = "/Auth/"


@pytest.fixture
def described(client):
    return client.get(DESCRIPTION).json()


def requests(described):
    """Yield method, path, description and body of each example of a request."""
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {})
            for example in (
                body.get("application/json", {}).get("examples", {}).values()
            ):
                yield method.upper(), path, operation, example["value"]


def assert_described(described, operation, answer):
    """Check an answer, with its headers, against the description of its operation."""
    told = operation["responses"][str(answer.status_code)]
    kind = answer["Content-Type"].partition(";")[0]
    root = {**told["content"][kind]["schema"], "components": described["components"]}
    found = [*Draft202012Validator(root).iter_errors(answer.json())]
    assert found == [], operation["operationId"]
    if answer.status_code == 201 and "Location" in told.get("headers", ()):
        assert answer["Location"]


def the_user_of_the_examples():
    """Let a person of the demo company be the one that the examples name."""
    person = User.objects.filter(is_service=False).exclude(username="admin").first()
    person.username = "emma"
    person.set_password(PASSWORD)
    person.save()


def test_every_example_is_answered_as_described(described, monkeypatch):
    seed("demo-company")
    # The run would write in a thread of its own, which can't see this test's rows.
    monkeypatch.setattr(services, "start_run", lambda *args, **options: uuid.uuid4())
    the_user_of_the_examples()
    admin, sent, rows = with_token("admin", DEFAULT_ADMIN_PASSWORD), {}, {}
    order = ("POST", "PUT", "PATCH", "DELETE")
    found = sorted(requests(described), key=lambda one: order.index(one[0]))
    for method, path, operation, body in found:
        name = operation["operationId"]
        if name in ABOUT_RUNS or name == "changePassword":
            continue
        collection = path.partition("/{")[0]
        key = rows.get(collection, User.objects.get(username="emma").pk)
        caller = Caller() if PUBLIC in path else admin
        where = path.replace("{id}", str(key)).replace("{name}", "supplier_prices")
        answer = caller.call(method, where, body)
        assert answer.status_code < 300, (name, answer.content)
        assert_described(described, operation, answer)
        sent[name] = answer
        if method == "POST" and answer.status_code == 201:
            rows[path] = answer.json().get("id")
    assert len(sent) > 30


def test_the_example_of_a_new_password_works_for_the_example_of_a_user(described):
    a_user("emma", "user")
    password = {
        operation["operationId"]: body
        for _method, _path, operation, body in requests(described)
    }["changePassword"]
    assert password["oldPassword"] == PASSWORD
    answer = with_token("emma").post("/Account/change-password", password)
    assert answer.status_code == 204


def test_every_json_body_of_rows_has_an_example(described):
    named = {o["operationId"] for _m, _p, o, _b in requests(described)}
    wanted = {
        operation["operationId"]
        for methods in described["paths"].values()
        for operation in methods.values()
        if operation["operationId"].startswith("create")
        and "From" not in operation["operationId"]
    }
    assert wanted - named == set()
