"""What a run didn't write, as a package to correct and import again."""

from __future__ import annotations

import json

import pytest

from importer import services
from importer.models import ImportRun
from importer.services import NoFailedObjects, PackageNotKept
from tests.builders import (
    a_package,
    delete_row,
    edit_row,
    outcomes,
    ref,
    row_of,
    units,
)
from tests.importer.api.conftest import Caller

pytestmark = pytest.mark.django_db


def goods(prices, **step):
    """Return a package with folders, so that objects refer to others."""
    package = units("pcs", "kg").with_step("Items", match=["code"], **step)
    package.folder("folder:tools", "TOOLS").folder("folder:other", "OTHER")
    for name, price in prices.items():
        package.goods(
            f"item:{name}",
            name,
            ref("unit:pcs"),
            parentId=ref("folder:tools"),
            price=price,
        )
    return package


def failed(report):
    run = ImportRun.objects.get(pk=report.run_id)
    with services.failed_objects(run) as file:
        return json.load(file)


def ids(package):
    return [[one["$id"] for one in step["items"]] for step in package["steps"]]


@pytest.fixture
def missed(run, admin):
    """Return the report of a run with an object that fails, one whose row is kept, one
    whose row was deleted, and one that is written."""
    run(goods({"A": "1", "B": "1", "C": "1", "D": "1"}))
    edit_row(row_of("Items", "B"), actor=admin, price="7")
    delete_row(row_of("Items", "C"), actor=admin)
    prices = {"A": "-1", "B": "2", "C": "2", "D": "2"}
    return run(goods(prices, onMissing="report"), continue_on_error=True)


def test_failed_and_kept_objects_are_there_with_what_they_refer_to(missed):
    found = failed(missed)
    assert ids(found) == [["unit:pcs"], ["folder:tools", "item:A", "item:B", "item:C"]]
    whole = json.loads(goods({}).as_bytes())
    assert {**found, "steps": 0} == {**whole, "steps": 0}
    assert found["steps"][1]["match"] == ["code"]
    # A part must not delete or report what it hasn't.
    assert "onMissing" not in found["steps"][1]


def test_a_corrected_package_continues_the_run(missed, run):
    package = failed(missed)
    items = package["steps"][1]["items"]
    items[1]["price"] = "3"
    again = run(json.dumps(package).encode())
    assert outcomes(again)["item:A"] == "Updated"
    assert row_of("Items", "A").price == 3
    assert row_of("Items", "D").price == 2


def test_objects_have_the_text_of_the_package(run):
    text = goods({"A": "-1"}).as_bytes().decode()
    text = text.replace('"-1"', '-1.50,\n   "description": "ä \\u00e4 \\"x\\""')
    report = run(b"\xef\xbb\xbf" + text.encode(), continue_on_error=True)
    kept = ImportRun.objects.get(pk=report.run_id)
    with services.failed_objects(kept) as file:
        content = file.read().decode()
    assert '-1.50,\n   "description": "ä \\u00e4 \\"x\\""' in content


def test_objects_that_failed_because_of_another_bring_it_along(run):
    package = a_package("Chain").with_step("UnitsOfMeasure").unit("unit:pcs", "pcs")
    package.with_step("Items").folder("folder:a", "")
    package.goods("item:x", "X", ref("unit:pcs"), parentId=ref("folder:a"))
    package.goods("item:y", "Y", ref("unit:pcs"))
    report = run(package, continue_on_error=True)
    assert ids(failed(report)) == [["unit:pcs"], ["folder:a", "item:x"]]


def test_a_dry_run_and_its_plan_have_the_same_failed_objects(run, admin):
    run(goods({"A": "1", "B": "1"}))
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    dry = run(goods({"A": "2", "B": "2"}), dry_run=True)
    real = services.import_plan(dry.run_id, services.ImportOptions(), user=admin)
    assert ids(failed(dry)) == [["unit:pcs"], ["folder:tools", "item:A"]]
    assert failed(dry) == failed(real)


def test_a_run_without_failures_has_nothing_to_correct(run):
    with pytest.raises(NoFailedObjects):
        failed(run(units("pcs")))


def test_the_package_is_kept_until_the_next_import_of_it(missed, run):
    run(goods({"A": "2"}))
    services.remove_expired()
    with pytest.raises(PackageNotKept):
        failed(missed)


def test_an_undo_has_no_objects(missed, admin):
    undo = services.undo_run(missed.run_id, user=admin)
    with pytest.raises(NoFailedObjects):
        failed(undo)


@pytest.fixture
def calls(admin):
    return Caller(admin)


class TestOverHttp:
    """The endpoint and the page."""

    def test_the_package_is_a_file(self, missed, calls):
        answer = calls.get(f"runs/{missed.run_id}/failed")
        assert answer.status_code == 200
        assert answer["Content-Disposition"].endswith('-failed.json"')
        body = b"".join(answer.streaming_content)
        assert json.loads(body) == failed(missed)

    def test_refusals_say_why(self, missed, run, calls):
        nothing = calls.get(f"runs/{run(units('x')).run_id}/failed")
        assert (nothing.status_code, nothing.json()["code"]) == (409, "run-unsuitable")
        run(goods({"A": "2"}))
        services.remove_expired()
        gone = calls.get(f"runs/{missed.run_id}/failed")
        assert gone.status_code == 404
        assert "no longer kept" in gone.json()["detail"]
        assert calls.get("runs/none/failed").status_code == 404

    def test_others_are_refused(self, missed, clerk):
        answer = Caller(clerk()).get(f"runs/{missed.run_id}/failed")
        assert answer.status_code == 403

    def test_the_page_of_the_run_has_the_link(self, missed, run, client, admin):
        client.force_login(admin)
        path = f"/admin/import/failed.json?run={missed.run_id}"
        page = client.get(f"/admin/import?run={missed.run_id}").content.decode()
        assert path in page
        assert json.loads(b"".join(client.get(path).streaming_content)) == failed(
            missed
        )
        other = run(units("x")).run_id
        page = client.get(f"/admin/import?run={other}").content.decode()
        assert "failed.json" not in page
        refused = client.get(f"/admin/import/failed.json?run={other}")
        assert (refused.status_code, b"nothing to correct" in refused.content) == (
            404,
            True,
        )
