"""Decisions about kept rows on the page of a run."""

from __future__ import annotations

import json

import pytest

from importer.models import ImportRun, PackagePiece
from tests.builders import code, delete_row, edit_row, row_of, units
from tests.importer.admin_page.conftest import PAGE, Visitor, run_of, told

pytestmark = pytest.mark.django_db(transaction=True)
KEPT = "SkippedUserModified"


def goods(**prices):
    package = units("pcs").with_step("Items")
    for name, price in prices.items():
        package.goods(f"item:{name}", name, code("pcs"), price=price)
    return package


@pytest.fixture
def kept(run, admin):
    """Return the identifier of a run that kept two rows."""
    run(goods(A="1", B="1", C="1"))
    for name in "AB":
        edit_row(row_of("Items", name), actor=admin, price="7")
    return run(goods(A="2", B="2", C="2")).run_id


def price_of(name):
    return row_of("Items", name).price


def test_the_page_says_in_a_sentence_what_happened(visitor, kept):
    text = visitor.text(run=kept)
    assert "1 row was changed, 2 are kept, 1 is unchanged." in text
    assert "Kept rows (2)" in text


def test_the_page_of_a_dry_run_says_what_would_happen(visitor, run):
    planned = run(goods(A="1"), dry_run=True)
    assert "2 rows would change." in visitor.text(run=planned.run_id)


def test_a_kept_row_says_what_it_is_called_and_who_changed_it(visitor, kept):
    text = visitor.text(run=kept, outcome=KEPT)
    assert '<span class="imp-name">A Item A</span>' in text
    assert text.count("changed by admin, <time") == 2
    assert visitor.text(run=kept, search="admin").count("changed by admin") == 2


def test_a_deleted_row_says_who_deleted_it(visitor, kept, run, admin):
    delete_row(row_of("Items", "C"), actor=admin)
    skipped = run(goods(C="3"))
    text = visitor.text(run=skipped.run_id)
    assert "deleted by admin, <time" in text
    assert "No row was changed, 1 is kept" in text


def test_an_entry_shows_the_line_of_a_file_with_lines(visitor, run):
    package = json.dumps(goods(A="1").as_dict(), indent=2).encode()
    assert "line 21" in visitor.text(run=run(package, dry_run=True).run_id)
    assert "line 1" not in visitor.text(run=run(goods(A="1"), dry_run=True).run_id)


def test_marked_rows_get_the_values_of_the_package(visitor, kept):
    shown = visitor.text(run=kept, outcome=KEPT)
    assert shown.count('type="checkbox" name="item"') == 2
    done = visitor.ended(visitor.post("take-package", run=kept, item=["item:A"]))
    assert (done.kind, done.started_via) == ("decision", "page")
    assert (price_of("A"), price_of("B")) == (2, 7)
    left = visitor.text(run=kept, outcome=KEPT)
    assert left.count('type="checkbox" name="item"') == 1


def test_marked_rows_stay_as_they_are(visitor, kept, run):
    answer = visitor.post("take-mine", run=kept, item=["item:A"])
    assert run_of(answer) == kept
    assert (
        "1 row stays as it is."
        in visitor.client.get(answer["Location"]).content.decode()
    )
    assert price_of("A") == 7
    again = run(goods(A="2", B="2", C="2"))
    assert [e.outcome for e in again.items if e.id == "item:A"] == ["Unchanged"]


def test_all_of_a_filter_are_decided_at_once(visitor, kept):
    visitor.ended(visitor.post("take-package", run=kept, every="on", outcome=KEPT))
    assert (price_of("A"), price_of("B")) == (2, 2)
    assert 'name="item"' not in visitor.text(run=kept, outcome=KEPT)


def report_after(visitor, answer, kept):
    """Return the report to which a refused decision leads back."""
    assert answer["Location"] == f"{PAGE}?run={kept}#import-entries"
    return visitor.client.get(answer["Location"]).content.decode()


def test_a_refused_decision_leads_back_to_the_report(visitor, kept):
    answer = visitor.post("take-mine", run=kept)
    assert "Mark the rows" in report_after(visitor, answer, kept)
    answer = visitor.post("take-mine", run=kept, item=["item:C"])
    assert "item:C" in report_after(visitor, answer, kept)
    answer = visitor.post("take-mine", run=kept, every="on", outcome="Updated")
    assert "no such kept rows" in report_after(visitor, answer, kept)
    assert (price_of("A"), price_of("C")) == (7, 2)
    unknown = visitor.post("take-mine", run="nothing", item=["item:C"])
    assert told(unknown, 404)


def merging(**items):
    package = units("pcs").with_step("Items", onUserModified="merge")
    for name, (title, price) in items.items():
        package.goods(f"item:{name}", name, code("pcs"), name=title, price=price)
    return package


@pytest.fixture
def merged(run, admin):
    """Return the identifier of a run that merged one row in part, kept one for its
    conflict and one because it was deleted."""
    run(merging(A=("a", "1"), B=("b", "1"), C=("c", "1")))
    edit_row(row_of("Items", "A"), actor=admin, price="7", description="by hand")
    edit_row(row_of("Items", "B"), actor=admin, price="8")
    delete_row(row_of("Items", "C"), actor=admin)
    return run(merging(A=("new", "2"), B=("b", "2"), C=("c", "2"))).run_id


def test_rows_that_were_merged_in_part_are_among_the_kept_ones(visitor, merged):
    text = visitor.text(run=merged)
    assert "1 row was changed, 1 of them only in part, 2 are kept" in text
    assert "Kept rows (3)" in text
    shown = visitor.text(run=merged, outcome="kept")
    assert shown.count('type="checkbox" name="item"') == 3
    file = visitor.get("/report.json", run=merged, outcome="kept")
    found = json.loads(file.getvalue())
    assert {each["id"] for each in found["report"]["items"]} == {
        "item:A",
        "item:B",
        "item:C",
    }


def test_the_package_wins_in_conflicts_alone(visitor, merged):
    visitor.ended(
        visitor.post("take-package", run=merged, item=["item:A"], outcome="Updated")
    )
    row = row_of("Items", "A")
    assert (row.price, row.name, row.description) == (2, "new", "by hand")
    text = visitor.text(run=merged, outcome="kept")
    assert text.count('name="item"') == 2
    assert text.count("Decided since") == 1


def test_all_kept_rows_are_decided_at_once_whatever_their_outcome(visitor, merged):
    visitor.ended(visitor.post("take-package", run=merged, every="on", outcome="kept"))
    prices = {name: price_of(name) for name in "ABC"}
    assert prices == {"A": 2, "B": 2, "C": 2}
    assert "Kept rows (" not in visitor.text(run=merged)


def test_what_is_decided_already_is_not_counted_again(visitor, kept):
    visitor.post("take-mine", run=kept, item=["item:A"])
    answer = visitor.post("take-mine", run=kept, every="on", outcome=KEPT)
    shown = visitor.client.get(answer["Location"]).content.decode()
    assert "1 row stays as it is." in shown


def test_a_deleted_row_needs_no_decision_to_stay_deleted(visitor, merged):
    answer = visitor.post("take-mine", run=merged, item=["item:C"])
    shown = visitor.client.get(answer["Location"]).content.decode()
    assert "deleted rows stay deleted anyway" in shown


def test_nothing_is_decided_about_a_run_that_was_undone(visitor, kept, admin):
    visitor.ended(visitor.post("undo", run=kept))
    assert "Kept rows (" not in visitor.text(run=kept)
    assert 'name="item"' not in visitor.text(run=kept, outcome=KEPT)
    refused = visitor.post("take-package", run=kept, item=["item:A"])
    assert "This run was undone." in report_after(visitor, refused, kept)
    assert price_of("A") == 7


def test_a_dry_run_says_when_kept_rows_can_be_decided_about(visitor, run, kept):
    planned = run(goods(A="3", B="2", C="2"), dry_run=True)
    assert "After the import you can decide" in visitor.text(run=planned.run_id)
    none_kept = run(goods(C="3"), dry_run=True)
    assert "After the import you can decide" not in visitor.text(run=none_kept.run_id)


def test_nothing_is_offered_where_nothing_can_be_decided(visitor, kept):
    PackagePiece.objects.all().delete()
    text = visitor.text(run=kept, outcome=KEPT)
    assert 'name="item"' not in text
    assert "Take the values of the package" not in text


def test_readers_of_their_own_runs_decide_nothing(kept, clerk):
    user = clerk()
    via = ImportRun.StartedVia.PROCESSOR
    ImportRun.objects.filter(pk=kept).update(started_by=user, started_via=via)
    reader = Visitor(user)
    assert 'name="item"' not in reader.text(run=kept, outcome=KEPT)
    answer = reader.post("take-mine", run=kept, item=["item:A"])
    assert answer.status_code == 403
    assert PAGE not in answer.headers.get("Location", "")


def test_rows_that_have_been_decided_about_are_no_longer_announced(visitor, kept):
    visitor.post("take-mine", run=kept, item=["item:A"])
    assert "Kept rows (1)" in visitor.text(run=kept)
    visitor.post("take-mine", run=kept, item=["item:B"])
    assert 'id="kept-title"' not in visitor.text(run=kept)
