"""The data processors of table sources, executed with uploaded tables."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogs.models import Item
from importer.models import ImportRun, TableSource
from importer.services import create_source, delete_source, update_source
from platform_site.accounts.models import Role
from platform_site.processing import services
from platform_site.processing.errors import InvalidStateError, UnknownProcessor
from platform_site.processing.registry import find_processor, processors
from platform_site.records.errors import NotAllowed
from platform_site.scheduling.forms import JobForm
from tests.builders import make_row
from tests.catalogs.rows import boss
from tests.processing.users import a_person, somebody_who_may

pytestmark = pytest.mark.django_db
PRICES = {
    "name": "supplier_17",
    "target": "Items",
    "columns": [
        {"property": "code", "column": "Artikelnummer"},
        {"property": "name", "column": "Bezeichnung"},
        {"property": "unitOfMeasureId", "column": "ME", "values": {"Stk": "pcs"}},
        {"property": "price", "column": "Preis €"},
        {"property": "isFolder", "default": False},
        {"property": "category", "default": "goods"},
    ],
    "encoding": "cp1252",
    "key": ["code"],
    "match": ["code"],
}
LIST = "Artikelnummer;Bezeichnung;ME;Preis €\n1;Öl;Stk;1,50\n2;Säge;Stk;1.234,50\n"
RIGHTS = ("add_item", "change_item", "view_item")


@pytest.fixture
def prices(db):
    make_row("UnitsOfMeasure", actor=boss(), code="pcs", name="pieces")
    return create_source(PRICES)


@pytest.fixture
def clerk(prices):
    """Return a clerk who may load the price list, and change items."""
    person = somebody_who_may(find_processor("supplier_17"), is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(codename__in=RIGHTS))
    return type(person).objects.get(pk=person.pk)


def run(user, text=LIST, *, encoding="cp1252", **data):
    file = SimpleUploadedFile("preise.csv", text.encode(encoding))
    files = {"fileId": file}
    return services.execute("supplier_17", data, user=user, files=files).result


def counts(result):
    names = ("inserted", "updated", "unchanged", "skipped", "failed")
    return {name: result[name] for name in names if result[name]}


def test_a_clerk_loads_a_price_list_twice(clerk):
    assert counts(run(clerk)) == {"inserted": 2}
    assert str(Item.objects.get(code="2").price) == "1234.5000"
    assert counts(run(clerk)) == {"unchanged": 2}
    found = ImportRun.objects.latest("started_at")
    assert (found.package, found.started_by) == ("supplier_17", clerk)
    assert (found.started_via, found.starter) == ("processor", "supplier_17")


def test_a_dry_run_writes_nothing(clerk):
    assert counts(run(clerk, dryRun=True)) == {"inserted": 2}
    assert not Item.objects.exists()


def test_the_rights_on_rows_are_those_of_the_clerk(prices):
    person = somebody_who_may(find_processor("supplier_17"))
    result = run(person)
    assert counts(result) == {"failed": 2}
    assert not Item.objects.exists()


def test_a_wrong_row_fails_alone_with_line_and_column(clerk):
    result = run(clerk, LIST.replace("1,50", "auf Anfrage"))
    assert counts(result) == {"inserted": 1, "failed": 1}
    assert 'line 2, Preis €: "auf Anfrage" is not a number' in result["message"]
    stopped = run(
        clerk, LIST.replace("Öl;Stk;1,50", "Oil;Stk;?"), continueOnError=False
    )
    assert counts(stopped)["failed"] == 1


def test_a_file_that_is_no_such_table_is_refused(clerk):
    for text, sentence in (("%PDF", "neither CSV"), ("SKU;Name\n1;Oil\n", "no column")):
        with pytest.raises(InvalidStateError) as refusal:
            run(clerk, text)
        [problem] = refusal.value.problems
        assert problem.path == "fileId"
        assert sentence in problem.message
    with pytest.raises(InvalidStateError, match="No file chosen"):
        services.execute("supplier_17", {}, user=clerk)


def test_others_may_not_execute_it(prices, client):
    with pytest.raises(NotAllowed) as refusal:
        run(a_person())
    assert refusal.value.right == "Executesupplier_17"


def test_its_page_takes_the_file(clerk, client):
    client.force_login(clerk)
    listed = client.get("/admin/processors/").content.decode()
    assert "/admin/processors/supplier_17" in listed
    assert "into Items" in listed
    file = SimpleUploadedFile("preise.csv", LIST.encode("cp1252"))
    page = client.post(
        "/admin/processors/supplier_17", {"fileId": file, "continueOnError": "on"}
    )
    assert page.status_code == 200
    assert Item.objects.count() == 2
    assert client.get("/admin/processors/ImportItemsFromCsv").status_code == 403


def test_it_is_executed_over_the_api(clerk, client):
    client.force_login(clerk)
    base = "/api/v1/Processors"
    assert [one["name"] for one in client.get(base).json()] == ["supplier_17"]
    new = client.get(f"{base}/supplier_17").json()
    assert new == {"fileId": None, "continueOnError": True, "dryRun": False}
    upload = SimpleUploadedFile("preise.csv", LIST.encode("cp1252"))
    file = client.post("/api/v1/Files", {"file": upload}).json()
    answer = client.post(
        f"{base}/supplier_17", {"fileId": file["id"]}, content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    assert answer.json()["inserted"] == 2
    assert client.get(f"{base}/supplier_71").status_code == 404


def test_a_disabled_or_deleted_source_is_no_processor(prices):
    update_source("supplier_17", {"enabled": False})
    assert "supplier_17" not in processors()
    with pytest.raises(UnknownProcessor):
        run(boss())
    update_source("supplier_17", {"enabled": True})
    assert "supplier_17" in processors()
    delete_source("supplier_17")
    with pytest.raises(UnknownProcessor):
        run(boss())


def test_a_source_of_another_process_is_found(prices):
    """What this process remembers of a source doesn't matter."""
    assert find_processor("supplier_18") is None
    other = TableSource(name="supplier_18", description=prices.description)
    TableSource.objects.bulk_create([other])  # without any signal
    assert find_processor("supplier_18").__name__ == "supplier_18"
    TableSource.objects.filter(name="supplier_18").update(enabled=False)
    assert find_processor("supplier_18") is None


def test_its_right_comes_and_goes_with_the_source(prices):
    rights = Permission.objects.filter(codename="Executesupplier_17")
    assert rights.get().name == "supplier_17"
    employee = Role.objects.get(name="employee")
    assert employee.permissions.filter(codename="Executesupplier_17").exists()
    delete_source("supplier_17")
    assert not rights.exists()
    create_source(PRICES)
    assert employee.permissions.filter(codename="Executesupplier_17").exists()


def test_a_registered_processor_keeps_its_name(db):
    with pytest.raises(Exception, match="has this name already"):
        create_source({**PRICES, "name": "RecalculateCosts"})


def test_jobs_are_offered_only_what_needs_no_file(prices):
    url = "https://supplier.example/prices.csv"
    create_source({**PRICES, "name": "nightly", "origin": {"url": url}})
    names = {name for name, _title in JobForm().fields["processor"].choices}
    assert {"nightly", "RecalculateCosts", "ImportPackageFromUrl"} <= names
    assert not names & {"supplier_17", "ImportItemsFromCsv"}


def test_rights_cost_no_query_of_sources(clerk, django_assert_num_queries):
    """Pages ask at every request whether somebody may execute anything."""
    person = type(clerk).objects.get(pk=boss().pk)
    person.get_all_permissions()
    with django_assert_num_queries(0):
        assert next(services.executable(person))
    nobody = a_person()
    nobody.get_all_permissions()
    with django_assert_num_queries(0):
        assert services.allowed_processors(nobody) == []
