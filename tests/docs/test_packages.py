"""The packages people meet first, the embedded ones and the one in the documentation,
are put to the printed schema and to the importer."""

from __future__ import annotations

import io
import json
import re

import pytest
from django.core.management import call_command
from jsonschema import Draft202012Validator

from catalogs.models import Account, Counterparty, Item
from importer.services import embedded_packages, import_package
from platform_site.accounts.models import User
from platform_site.processing.models import ProcessorExecution
from platform_site.settings.configuration import APPLICATION_FOLDER

FORMAT_PAGE = APPLICATION_FOLDER / "docs" / "package-format.md"


@pytest.fixture
def admin(db):
    return User.objects.get(username="admin")


@pytest.fixture(scope="module")
def printed_schema():
    printed = io.StringIO()
    call_command("import_schema", stdout=printed)
    return Draft202012Validator(json.loads(printed.getvalue()))


def example():
    blocks = re.findall(r"```json\n(.*?)```", FORMAT_PAGE.read_text("utf-8"), re.S)
    assert len(blocks) == 1, "The page must have one complete example, and no other."
    return blocks[0]


def applied(text, user):
    return import_package(io.BytesIO(text.encode()), user=user)


def counted(report):
    assert [d.message for d in report.diagnostics] == []
    return {outcome: count for outcome, count in report.counts.items() if count}


def complaints(validator, text):
    return [
        f"{error.json_path}: {error.message}"
        for error in validator.iter_errors(json.loads(text))
    ]


def objects(package):
    return [item for step in package["steps"] for item in step["items"]]


EMBEDDED = embedded_packages()
BY_NAME = {one.package: one for one in EMBEDDED}


def test_the_demo_company_is_embedded():
    assert BY_NAME["demo-company"].origin == "demoSeed"


@pytest.mark.parametrize("one", EMBEDDED, ids=lambda one: one.path.name)
def test_every_embedded_package_can_be_read(one):
    assert one.error == ""


@pytest.mark.parametrize("one", EMBEDDED, ids=lambda one: one.path.name)
def test_every_embedded_package_fulfils_the_printed_schema(one, printed_schema):
    assert complaints(printed_schema, one.path.read_text("utf-8")) == []


@pytest.mark.parametrize("one", EMBEDDED, ids=lambda one: one.path.name)
def test_every_embedded_package_is_inserted_and_then_unchanged(one, admin):
    text = one.path.read_text("utf-8")
    count = len(objects(json.loads(text)))
    assert counted(applied(text, admin)) == {"Inserted": count}
    assert counted(applied(text, admin)) == {"Unchanged": count}


def test_the_example_of_the_format_page_fulfils_the_printed_schema(printed_schema):
    assert complaints(printed_schema, example()) == []


def test_the_example_of_the_format_page_is_inserted_and_then_unchanged(admin):
    assert counted(applied(example(), admin)) == {"Inserted": 3}
    assert counted(applied(example(), admin)) == {"Unchanged": 3}
    assert str(Item.objects.get(code="SOIL-20").parent) == "GARDEN Garden"


def test_the_demo_company_is_ready_for_trade(admin):
    applied(BY_NAME["demo-company"].path.read_text("utf-8"), admin)
    roles = Account.objects.exclude(role=None).values_list("role", flat=True)
    assert sorted(roles) == sorted(Account.Role.values)
    goods = Item.objects.filter(is_folder=False)
    assert goods.count() > 100
    assert not goods.filter(parent__parent__parent=None).exists()
    assert Counterparty.objects.filter(is_customer=True).exists()
    assert Counterparty.objects.filter(is_supplier=True).exists()


def test_nobody_real_can_be_written_to_from_the_demo_company(admin):
    applied(BY_NAME["demo-company"].path.read_text("utf-8"), admin)
    written = Counterparty.objects.exclude(email="").values_list("email", flat=True)
    assert written
    domains = {email.rpartition("@")[2] for email in written}
    assert {d for d in domains if not f".{d}".endswith(".example.com")} == set()


def documented_step(key):
    """Return the step the page shows for a key, with the header a package needs."""
    shown = re.findall(r"\n\n((?: {4}.*\n)+)", FORMAT_PAGE.read_text("utf-8"))
    (step,) = (json.loads(text) for text in shown if f'"{key}":' in text)
    header = json.loads(example())
    return json.dumps({**header, "package": "documented", "steps": [step]})


def test_the_example_of_executions_is_executed_in_every_run(admin, printed_schema):
    text = documented_step("dataProcessor")
    assert complaints(printed_schema, text) == []
    assert counted(applied(text, admin)) == {"Inserted": 1}
    first = ProcessorExecution.objects.get()
    assert counted(applied(text, admin)) == {"Updated": 1}
    assert ProcessorExecution.objects.get().executed_at > first.executed_at
