"""The report of a run: chips, pages, search, changes, links and escaping."""

from __future__ import annotations

import csv
import io
import json
import re
from uuid import uuid4

import pytest

from importer import registry
from importer.admin_page.downloads import as_csv
from importer.models import ImportRun
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.pipeline.report import pack, unpack
from importer.runs import report_filter
from platform_site.changes.models import ChangeEvent
from tests.builders import a_package, edit_row, row_of, units
from tests.importer.admin_page.conftest import Visitor

pytestmark = pytest.mark.django_db
MANY = 250_000
CHUNK = 1000
EVIL = "<script>alert(1)</script>"


def result(place):
    if place % 10_000 == 7:
        message = f"steps[0].items[{place}]: the code is taken"
        return ItemResult(
            f"item:{place}", 0, place, "Items", Outcome.FAILED, message, None, None
        )
    if place % 2:
        changes = {"price": ["1.0000", "2.0000"], "name": ["x" * 200, "y" * 200]}
        outcome = Outcome.UPDATED
    else:
        changes, outcome = None, Outcome.UNCHANGED
    return ItemResult(f"item:{place}", 0, place, "Items", outcome, "", place, changes)


@pytest.fixture(scope="module")
def chunks():
    starts = range(0, MANY, CHUNK)
    return [pack(at, [result(at + n) for n in range(CHUNK)]) for at in starts]


@pytest.fixture
def long_run(chunks, admin):
    counts = {"Failed": 25, "Updated": MANY // 2 - 25, "Unchanged": MANY // 2}
    run = ImportRun.objects.create(
        run_id=uuid4(),
        package="corpus.long",
        version=1,
        time_zone="UTC",
        started_by=admin,
        started_by_name="admin",
        started_at="2026-01-01T00:00:00Z",
        finished_at="2026-01-01T00:01:00Z",
        status="Completed",
        done=MANY,
        total=MANY,
        has_errors=True,
        counts=counts,
    )
    run.chunks.bulk_create(
        run.chunks.model(
            run=run, first=c.first, size=c.size, counts=c.counts, data=c.data
        )
        for c in chunks
    )
    return run


@pytest.fixture
def visitor(admin):
    return Visitor(admin)


def objects(text):
    """Return the objects a page lists."""
    listed = text.partition('id="import-entries"')[2]
    return re.findall(r'<th scope="row">([^<]*)<', listed)


@pytest.fixture
def opened(monkeypatch):
    """Count the chunks of reports that are read."""
    parts = []

    def counted(data):
        parts.append(data)
        return unpack(data)

    monkeypatch.setattr(report_filter, "unpack", counted)
    return parts


def test_a_page_of_a_long_report_reads_little_and_is_small(visitor, long_run, opened):
    """IMP-276."""
    asked = [
        ({}, 50, "page 1 of 2,500", 3),
        ({"outcome": "all"}, 50, "page 1 of 5,000", 2),
        ({"outcome": "Failed"}, 25, "Failed <b>25</b>", 25),
        ({"outcome": "all", "page": 100}, 50, "page 100 of 5,000", 2),
        ({"outcome": "all", "page": 5000}, 50, "page 5,000 of 5,000", 2),
        ({"outcome": "Updated", "page": 2500}, 25, "page 2,500 of 2,500", 2),
        ({"search": "item:249999"}, 1, "Updated", 1),
        ({"search": "nothing like it"}, 0, "No object matches.", 0),
    ]
    for query, expected, words, parts in asked:
        opened.clear()
        text = visitor.text(run=long_run.run_id, **query)
        assert len(objects(text)) == expected, query
        assert words in text, query
        assert len(text.encode()) < 200_000, query
        assert len(opened) <= parts, query


def test_unchanged_objects_are_left_out_at_first(visitor, run):
    run(units("a", "b"))
    done = run(units("a", "b", "c"))
    assert objects(visitor.text(run=done.run_id)) == ["unit:c"]
    assert len(objects(visitor.text(run=done.run_id, outcome="all"))) == 3
    assert objects(visitor.text(run=done.run_id, search="unit:a")) == ["unit:a"]
    again = run(units("a", "b", "c"))
    assert len(objects(visitor.text(run=again.run_id))) == 3


def test_a_chip_shows_only_its_objects(visitor, run):
    """IMP-275."""
    package = units("a", "b", "c")
    run(package)
    package.steps[0]["items"][1]["name"] = "new name"
    report = visitor.text(run=run(package).run_id, outcome="Updated")
    assert objects(report) == ["unit:b"]
    assert "Updated <b>1</b>" in report
    assert "Unchanged <b>2</b>" in report
    assert "<strong>Name</strong> <del>b</del>" in report
    assert "<ins>new name</ins>" in report


def test_outcomes_that_did_not_occur_have_no_chip(visitor, run):
    """OPEN-38, IMP-275: nobody needs to read that nothing failed."""
    report = visitor.text(run=run(units("a", "b")).run_id)
    assert re.findall(r'id="chip-(\w+)"', report) == ["all", "Inserted"]
    chosen = visitor.text(run=run(units("a", "b")).run_id, outcome="Failed")
    assert re.findall(r'id="chip-(\w+)"', chosen) == ["all", "Unchanged", "Failed"]


def test_a_search_covers_object_and_message(visitor, run):
    package = units("a", "b").item("unit:c", code="a", name="taken")
    found = run(package, continue_on_error=True).run_id
    assert objects(visitor.text(run=found, search="UNIT:B")) == ["unit:b"]
    assert objects(visitor.text(run=found, search="items[2]")) == ["unit:c"]
    both = visitor.text(run=found, search="unit", outcome="Failed")
    assert objects(both) == ["unit:c"]


@pytest.mark.parametrize(
    "query",
    [
        {"page": "x"},
        {"page": "-1"},
        {"page": "9" * 30},
        {"page": "7000000", "search": "a"},
        {"outcome": "Exploded"},
        {"search": "\x00"},
        {"search": "x" * 5000},
        {"problems": "0"},
    ],
    ids=str,
)
def test_an_invalid_query_is_ignored(visitor, run, query):
    assert visitor.get(run=run(units("a")).run_id, **query).status_code == 200


def test_errors_come_first_with_their_paths(visitor, run):
    package = units("a").raw_item({"$id": "unit:b", "code": "b"})
    report = visitor.text(run=run(package).run_id)
    path = "steps[0].items[1].name"
    assert f'data-copy="{path}"' in report
    assert report.index("Errors (1)") < report.index("Objects</h2>")


def test_kept_objects_have_a_reason(visitor, run, admin):
    package = units("a")
    run(package)
    edit_row(row_of("UnitsOfMeasure", "a"), actor=admin, name="by hand")
    package.steps[0]["items"][0]["name"] = "from the package"
    report = visitor.text(run=run(package).run_id)
    assert "Kept (changed by a user)" in report
    assert "kept: a user changed the row after the import" in report


def test_the_report_links_to_rows_and_change_events(visitor, run):
    """IMP-279."""
    run_id = run(units("a", "b")).run_id
    report = visitor.text(run=run_id)
    row = row_of("UnitsOfMeasure", "a")
    address = f"/admin/catalogs/unitofmeasure/{row.pk}/"
    assert f'href="{address}"' in report
    assert visitor.client.get(address).status_code == 200
    events = re.search(r'href="([^"]*run_id=[^"]*)"', report)[1]
    listed = visitor.client.get(events)
    assert listed.status_code == 200
    assert ChangeEvent.objects.filter(run_id=run_id).count() == 2
    assert listed.context["cl"].result_count == 2


def test_a_dry_run_has_no_events_and_no_links_to_rows(visitor, run):
    report = visitor.text(run=run(units("a"), dry_run=True).run_id)
    assert "changeevent/?run_id" not in report
    assert "/admin/catalogs/unitofmeasure/" not in report.partition("import-entries")[2]


def test_without_hooks_there_are_no_links(visitor, run, monkeypatch):
    monkeypatch.setitem(registry._hooks, "row_link", lambda *asked: "")
    monkeypatch.setitem(registry._hooks, "changes_link", lambda *asked: "")
    report = visitor.text(run=run(units("a")).run_id)
    assert "Change events of this run" not in report
    assert "<td>UnitsOfMeasure</td>" in report


def test_markup_in_a_package_is_escaped(visitor, run):
    package = a_package().with_step("UnitsOfMeasure")
    package.unit(EVIL, "a", name=EVIL).raw_item({"$id": "b", EVIL: EVIL, "code": EVIL})
    failed = run(package).run_id
    package.steps[0]["items"].pop()
    written = run(package).run_id
    package.steps[0]["items"][0]["name"] = f"{EVIL} again"
    changed = run(package).run_id
    for run_id in (failed, written, changed):
        for query in ({}, {"search": EVIL}):
            text = visitor.text(run=run_id, **query)
            assert EVIL not in text
            assert "&lt;script&gt;" in text
    assert EVIL not in visitor.text()


@pytest.mark.parametrize("run_id", ["", "x", "0" * 32, EVIL])
def test_an_unknown_run_gives_a_sentence(visitor, run_id):
    """IMP-278."""
    for path in ("", "/report.json", "/report.csv"):
        answer = visitor.get(path, run=run_id)
        assert answer.status_code == 404
        assert b"There is no run" in answer.content
        assert EVIL.encode() not in answer.content
    assert visitor.get("/progress", run=run_id).status_code == 200


def test_a_report_can_be_downloaded_as_json(visitor, run):
    run_id = run(units("a", "b")).run_id
    answer = visitor.get("/report.json", run=run_id, search="unit:b")
    body = json.loads(b"".join(answer.streaming_content))
    assert (body["runId"], body["counts"]["Inserted"]) == (str(run_id), 2)
    assert [entry["id"] for entry in body["report"]["items"]] == ["unit:b"]
    assert f"import-corpusa-{run_id}.json" in answer["Content-Disposition"]


def test_a_report_can_be_downloaded_as_csv(visitor, run):
    package = units("a", "b").item("unit:c", code="a", name="taken")
    run_id = run(package, continue_on_error=True).run_id
    answer = visitor.get("/report.csv", run=run_id, outcome="Failed")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    (line,) = csv.DictReader(io.StringIO(text))
    assert (line["id"], line["path"]) == ("unit:c", "steps[0].items[2]")
    assert line["message"].startswith("steps[0].items[2].code: ")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_csv_download_contains_no_formulas(start):
    text = f'{start}HYPERLINK("x")'
    entry = ItemResult(text, 0, 0, "Items", Outcome.FAILED, text, None, None)
    written = b"".join(as_csv([entry])).decode("utf-8-sig")
    (line,) = csv.DictReader(io.StringIO(written, newline=""))
    assert line["id"] == line["message"] == f"'{text}"


def test_a_download_contains_every_object(visitor, long_run):
    answer = visitor.get("/report.csv", run=long_run.run_id)
    assert sum(piece.count(b"item:") for piece in answer.streaming_content) == MANY


def test_a_run_that_changed_nothing_has_no_change_events(visitor, run):
    assert "Change events of this run" in visitor.text(run=run(units("a")).run_id)
    assert "Change events of this run" not in visitor.text(run=run(units("a")).run_id)
