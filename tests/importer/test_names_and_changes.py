"""Entries of a report name their rows, and say who changed a row that was kept."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from importer import services
from importer.models import ImportRun
from importer.runs.rewriting import lost_entries
from platform_site.changes.models import ChangeEvent
from tests.builders import (
    a_package,
    code,
    delete_row,
    edit_row,
    model_of,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db


def goods(price=1, **keys):
    package = units("pcs").with_step("Items", **keys)
    for each in "ABC":
        package.goods(f"item:{each}", each, code("pcs"), price=price)
    return package


def both(run, package, **options):
    """Run a package dry, then in earnest; return its entries, which agree."""
    planned = run(package, dry_run=True, **options)
    done = run(package, **options)
    assert entries(planned) == entries(done)
    return entries(done)


def entries(report):
    members = [entry.wire() for entry in report.items]
    for entry in members:
        entry.pop("rowId")  # a dry run has no row yet
    return {entry["id"]: entry for entry in members}


def names(found):
    return {each: entry["name"] for each, entry in found.items()}


def found_by(report, text):
    return [entry.id for entry in services.report_entries(report.run_id, search=text)]


def test_new_changed_and_unchanged_rows_have_code_and_name(run):
    expected = {"unit:pcs": "pcs pcs", **{f"item:{x}": f"{x} Item {x}" for x in "ABC"}}
    assert names(both(run, goods())) == expected
    assert names(both(run, goods())) == expected
    changed = goods(price=2)
    changed.steps[1]["items"][0]["name"] = "Spade"
    assert names(both(run, changed)) == {**expected, "item:A": "A Spade"}


def test_a_row_has_the_name_that_its_user_gave_it(run, admin):
    run(goods())
    edit_row(row_of("Items", "A"), actor=admin, name="Trowel", code="TR-1")
    assert names(both(run, goods()))["item:A"] == "TR-1 Trowel"
    report = run(goods(price=2))
    assert entries(report)["item:A"]["outcome"] == "SkippedUserModified"
    for text in ("trowel", "TR-1"):
        assert found_by(report, text) == ["item:A"]


def test_a_refused_object_has_the_name_that_it_gives(run):
    package = goods()
    package.goods("item:D", "D", code("nowhere"), name="Spade")
    package.goods("item:E", "E", code("pcs"), name="Rake", price="no price")
    package.item("item:F", isFolder=False, price=[])
    for options in ({"dry_run": True}, {"continue_on_error": True}):
        report = run(package, **options)
        found = names(entries(report))
        assert (found["item:D"], found["item:E"]) == ("D Spade", "E Rake")
        assert found["item:F"] is None
        assert found_by(report, "rake") == ["item:E"]


def test_a_kept_row_says_who_changed_it_last_and_when(run, admin, clerk):
    anna = clerk("change_item", "view_item", "delete_item", name="anna")
    run(goods())
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    edit_row(row_of("Items", "A"), actor=anna, price="8")
    delete_row(row_of("Items", "B"), actor=anna)
    edited, deleted = ChangeEvent.objects.order_by("-id")[:2][::-1]
    found = both(run, goods(price=2))
    assert found["item:A"]["kept"].by == "anna"
    assert found["item:A"]["kept"].at == edited.at
    assert found["item:B"]["outcome"] == "SkippedDeleted"
    assert found["item:B"]["kept"].by == "anna"
    assert found["item:B"]["kept"].at == deleted.at
    assert found["item:C"]["kept"] is None
    drifted = both(run, goods(price=3, onChange="skip"))
    assert drifted["item:C"]["outcome"] == "SkippedDrift"
    assert drifted["item:C"]["kept"] is None
    report = run(goods(price=2))
    assert found_by(report, "ANNA") == ["item:A", "item:B"]
    # The values of a difference are found, too: here and in the package.
    assert found_by(report, "8.0000") == ["item:A"]


def test_a_change_through_the_api_counts_as_one_of_its_user(run, clerk):
    anna = clerk("change_item", "view_item", name="anna")
    run(goods())
    client = APIClient()
    client.force_authenticate(anna)
    row = row_of("Items", "A")
    answer = client.patch(f"/api/v1/Items/{row.pk}", {"price": "9"}, format="json")
    assert answer.status_code == 200, answer.content
    kept = both(run, goods(price=2))["item:A"]["kept"]
    assert kept.by == "anna"


def test_an_import_in_between_does_not_count_as_the_change_it_was_kept_for(run, clerk):
    """A merge writes what only the package changed; the user's change stays the last."""
    anna = clerk("change_item", "view_item", name="anna")
    run(goods(onUserModified="merge"))
    edit_row(row_of("Items", "A"), actor=anna, name="Mine")
    assert both(run, goods(2, onUserModified="merge"))["item:A"]["outcome"] == "Updated"
    kept = both(run, goods(3))["item:A"]
    assert (kept["outcome"], kept["kept"].by) == ("SkippedUserModified", "anna")
    conflict = goods(2, onUserModified="merge")
    conflict.steps[1]["items"][0]["name"] = "Theirs"
    merged = both(run, conflict)["item:A"]
    assert (merged["outcome"], merged["kept"].by) == ("SkippedUserModified", "anna")


def test_a_row_that_moved_since_its_plan_says_who_moved_it(run, admin):
    run(goods())
    planned = run(goods(price=2), dry_run=True)
    edit_row(row_of("Items", "A"), actor=admin, price="5")
    report = services.import_plan(planned.run_id, user=admin)
    entry = entries(report)["item:A"]
    assert entry["outcome"] == "SkippedUserModified"
    assert (entry["kept"].by, entry["name"]) == ("admin", "A Item A")


def test_missing_rows_have_a_name_and_no_line(run):
    run(goods())
    for keep in ("report", "delete"):
        package = units("pcs").with_step("Items", onMissing=keep, maxDelete=9)
        package.goods("item:A", "A", code("pcs"), price=1)
        gone = both(run, package)["item:B"]
        assert gone["outcome"] in ("Missing", "Deleted")
        assert (gone["name"], gone["line"]) == ("B Item B", None)


def test_rows_of_a_dead_run_have_names(run):
    report = run(goods())
    stored = ImportRun.objects.get(pk=report.run_id)
    found = {
        entry.id: entry
        for chunk in lost_entries(stored, [])
        for entry in chunk.results()
    }
    assert (found["item:A"].name, found["item:A"].line) == ("A Item A", None)


def test_who_changed_rows_takes_one_query_for_a_window(run, admin):
    def package(count, price):
        built = units("pcs").with_step("Items")
        for number in range(count):
            built.goods(f"i{number}", f"{number}", code("pcs"), price=price)
        return built

    def queries(count):
        run(package(count, 1))
        for row in model_of("Items").objects.all():
            edit_row(row, actor=admin, price="7")
        with CaptureQueriesContext(connection) as captured:
            report = run(package(count, 2), dry_run=True)
        assert report.counts["SkippedUserModified"] == count
        return len(captured)

    assert queries(2) == queries(20)


def test_an_entry_is_found_by_its_line_as_a_whole(run):
    content = b"\n" * 41 + a_package().as_bytes()
    report = run(content.replace(b'"steps":[]', b'"steps":[\n' + _STEP + b"]"))
    assert {entry.line for entry in report.items} == {43}
    assert found_by(report, "43") == ["u"]
    assert found_by(report, "4") == []


_STEP = b'{"dictionary": "UnitsOfMeasure", "items": [{"$id": "u", "code": "x", "name": "x"}]}'
