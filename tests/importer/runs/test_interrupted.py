"""Runs whose process was killed: report and counts contain everything written; what
wasn't stored is read from marks and change events (OPEN-44, OPEN-37)."""

from __future__ import annotations

from collections import Counter

import pytest

from importer import registry, services
from importer.models import ImportRun
from importer.pipeline.report import pack
from tests.builders import a_package, delete_row, edit_row, make_row, row_of, units
from tests.importer.documents.packages import company
from tests.importer.documents.test_create_from import chain

pytestmark = pytest.mark.django_db
WRITTEN = {"Inserted", "Updated", "Adopted", "Restored"}


def die(report, *, stored=0, counts=None):
    """Reduce a run to what its process had stored when it was killed."""
    run = ImportRun.objects.get(pk=report.run_id)
    run.chunks.all().delete()
    kept = report.items[:stored]
    known = Counter(str(entry.outcome) for entry in kept)
    if kept:
        chunk = pack(0, kept)
        run.chunks.create(
            first=0, size=chunk.size, counts=chunk.counts, data=chunk.data
        )
    run.status, run.finished_at, run.diagnostics = "Running", None, []
    run.done, run.counts = stored, dict(known) if counts is None else counts
    run.save()


def marked(report):
    """Mark the run as interrupted and return it with its report."""
    assert services.mark_interrupted_runs() == 1
    run = services.get_run(report.run_id)
    assert run.status == "Interrupted"
    return run, services.get_report(report.run_id)


def assert_tells_what_was_written(report, *, stored=0):
    """Compare the report after the death with that of the whole run."""
    run, told = marked(report)
    whole = list(report.items)
    lost = [entry for entry in whole[stored:] if entry.outcome in WRITTEN]
    expected = Counter(str(e.outcome) for e in [*whole[:stored], *lost])
    assert Counter({name: n for name, n in told.counts.items() if n}) == expected
    assert run.done == sum(expected.values())
    assert run.total == len(whole)
    found = [(e.id, e.target, e.outcome, e.row_id) for e in told.items[stored:]]
    assert found == [(e.id, e.target, e.outcome, e.row_id) for e in lost]
    return told


@pytest.mark.parametrize("stored", [0, 3, 6])
def test_every_written_row_is_reported_with_its_outcome(run, admin, stored):
    def package(name):
        built = a_package("corpus.a").with_step(
            "UnitsOfMeasure", match=["code"], onDeleted="restore"
        )
        for each in ("same", "changed", "deleted"):
            built.unit(f"unit:{each}", each, name=name if each != "same" else each)
        return built

    run(package("first"))
    delete_row(row_of("UnitsOfMeasure", "deleted"), actor=admin)
    for each in ("mine", "mine too"):
        make_row("UnitsOfMeasure", actor=admin, code=each, name=each)
    again = package("second").unit("unit:new", "new").unit("unit:mine", "mine")
    report = run(again.unit("unit:too", "mine too", name="another"))
    assert {str(e.outcome) for e in report.items} == {*WRITTEN, "Unchanged"}
    die(report, stored=stored)
    told = assert_tells_what_was_written(report, stored=stored)
    for entry in told.items[stored:]:
        assert (entry.step, entry.index) == (None, None)
        assert "its place in the package" in entry.message


def test_posted_documents_and_their_copies_are_reported(run):
    run(company())
    report = run(chain())
    die(report, stored=1)
    assert_tells_what_was_written(report, stored=1)


def test_a_later_user_change_does_not_hide_a_written_row(run, admin):
    report = run(units("a", "b", "c"))
    die(report)
    edit_row(row_of("UnitsOfMeasure", "a"), actor=admin, name="mine")
    delete_row(row_of("UnitsOfMeasure", "b"), actor=admin)
    assert_tells_what_was_written(report)


def test_an_execution_is_reported_without_the_rows_of_the_processor(run):
    package = a_package("corpus.counts").executions("RecalculateCosts").item("count:1")
    report = run(package)
    die(report)
    assert_tells_what_was_written(report)


def test_rows_of_an_earlier_run_are_not_reported_again(run):
    run(units("a", "b"))
    report = run(units("a", "b", "c"))
    die(report)
    _run, told = marked(report)
    assert [entry.id for entry in told.items] == ["unit:c"]


def test_more_than_a_thousand_lost_entries_are_stored_in_chunks(run):
    report = run(units(*(f"u{number}" for number in range(1500))))
    die(report, stored=200)
    told = assert_tells_what_was_written(report, stored=200)
    assert len(told.items) == 1500
    assert told.items[1499].id == "unit:u1499"


def test_stored_figures_are_not_replaced_by_smaller_ones(run):
    report = run(units("a", "b"))
    die(report, counts={"Unchanged": 7, "Inserted": 1})
    ended, told = marked(report)
    assert (told.counts["Unchanged"], told.counts["Inserted"]) == (7, 2)
    assert ended.done == 9


def test_without_change_events_outcomes_follow_from_versions(run, monkeypatch):
    """The importer alone has marks but no change events."""
    monkeypatch.setitem(registry._hooks, "outcomes_of", None)
    run(units("a"))
    changed = a_package("corpus.a").with_step("UnitsOfMeasure")
    report = run(changed.unit("unit:a", "a", name="changed").unit("unit:b", "b"))
    die(report)
    assert_tells_what_was_written(report)


def test_a_run_without_a_package_name_has_written_nothing(run):
    report = run(units("a"))
    ImportRun.objects.update(package="")
    die(report)
    _run, told = marked(report)
    assert (sum(told.counts.values()), len(told.items)) == (0, 0)


def test_the_next_run_ends_a_dead_one_like_the_next_start(run):
    report = run(units("a", "b"))
    die(report)
    again = run(units("a", "b"))
    assert again.counts["Unchanged"] == 2
    closed = services.get_run(report.run_id)
    assert (closed.status, closed.counts["Inserted"]) == ("Interrupted", 2)


def test_an_entry_without_a_place_can_be_read_everywhere(run, admin, client):
    report = run(a_package("corpus.a").with_step("UnitsOfMeasure").unit("u", "u"))
    die(report)
    marked(report)
    client.force_login(admin)
    page = client.get("/admin/import", {"run": report.run_id})
    assert "steps[" not in page.content.decode()
    table = client.get("/admin/import/report.csv", {"run": report.run_id})
    assert b"u,,UnitsOfMeasure,Inserted" in b"".join(table.streaming_content)
    answer = client.get(f"/api/v1/Import/runs/{report.run_id}").json()
    (entry,) = answer["report"]["items"]
    assert (entry["step"], entry["index"], entry["id"]) == (None, None, "u")
