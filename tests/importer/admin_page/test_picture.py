"""The picture of a run: a bar for each step, whose parts lead to the entries."""

from __future__ import annotations

import re

import pytest

from importer import services
from importer.admin_page.picture import picture
from importer.models import ImportRun, ReportChunk
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.pipeline.report import pack
from tests.builders import a_package, code, edit_row, row_of, units
from tests.importer.admin_page.conftest import PAGE, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(admin):
    return Visitor(admin)


def goods(**prices):
    package = units("pcs", "kg").with_step("Items")
    for name, price in prices.items():
        package.goods(f"item:{name}", name, code("pcs"), price=price)
    return package


def shown_rows(text):
    """Return the steps of the picture: their names, each with its outcomes."""
    found = text.partition('id="picture-title"')[2].partition("</section>")[0]
    return [
        (name, re.findall(r"</svg>(\w+ [\d,]+)</a>", rest))
        for name, rest in re.findall(
            r'<th scope="row">([^<]*)</th>(.*?)</tr>', found, re.DOTALL
        )
    ]


def entries(text):
    listed = text.partition('id="import-entries"')[2]
    return re.findall(r'<th scope="row">([^<]*)<', listed)


def test_each_step_shows_its_outcomes(run, visitor):
    run(goods(A="1", B="1", C="1"))
    done = run(goods(A="1", B="2", C="2", D="1"))
    assert shown_rows(visitor.text(run=done.run_id)) == [
        ("1. UnitsOfMeasure", ["Unchanged 2"]),
        ("2. Items", ["Inserted 1", "Unchanged 1", "Updated 2"]),
    ]


def test_a_part_leads_to_its_entries(run, visitor):
    run(goods(A="1"))
    package = goods(A="2")
    package.steps[0]["items"][0]["name"] = "Pieces"
    text = visitor.text(run=run(package).run_id)
    link = re.search(r'href="(\?[^"]*outcome=Updated&amp;step=1[^"#]*)#', text)[1]
    found = visitor.client.get(PAGE + link.replace("&amp;", "&")).content.decode()
    assert entries(found) == ["item:A"]
    assert "Only objects of 2. Items." in found
    assert re.findall(r'id="chip-(\w+)"', found) == ["all", "Updated"]
    assert 'name="step" value="1:Items"' in found


def test_a_download_has_the_entries_of_the_step(run, visitor):
    done = run(goods(A="1", B="1"))
    answer = visitor.get("/report.csv", run=done.run_id, step="1:Items")
    text = b"".join(answer.streaming_content).decode()
    assert "item:A" in text
    assert "unit:pcs" not in text


def test_an_unknown_step_is_ignored(run, visitor):
    done = run(goods(A="1"))
    assert len(entries(visitor.text(run=done.run_id, step="9:Nothing"))) == 3


def test_a_decision_about_all_of_a_step_leaves_the_other_steps_alone(
    run, visitor, admin
):
    run(goods(A="1"))
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    edit_row(row_of("UnitsOfMeasure", "kg"), actor=admin, name="Mine")
    package = goods(A="2")
    package.steps[0]["items"][1]["name"] = "Theirs"
    kept = run(package).run_id
    which = {"every": "on", "outcome": "SkippedUserModified", "step": "1:Items"}
    visitor.post("take-mine", run=kept, **which)
    assert run(package).counts["SkippedUserModified"] == 1


def test_a_rare_outcome_is_wide_enough_to_be_seen():
    steps = {"0:Items": {"Unchanged": 99_999, "Failed": 1}}
    (bar,) = picture(ImportRun(), steps)
    widths = {share.outcome: float(share.width) for share in bar.shares}
    assert 1 < widths["Failed"] < 2
    assert sum(widths.values()) == pytest.approx(100, abs=0.1)


def test_a_run_without_objects_has_no_picture(run, visitor):
    assert "picture-title" not in visitor.text(run=run(a_package()).run_id)


def test_sixty_steps_are_in_order(run, visitor):
    package = a_package()
    for number in range(60):
        package.with_step("UnitsOfMeasure").unit(f"unit:{number}", f"u{number}")
    names = [name for name, _ in shown_rows(visitor.text(run=run(package).run_id))]
    assert names == [f"{number}. UnitsOfMeasure" for number in range(1, 61)]


def test_an_undo_shows_a_bar_for_each_target(run, visitor, admin):
    done = run(goods(A="1"))
    undone = services.undo_run(done.run_id, user=admin)
    text = visitor.text(run=undone.run_id)
    assert "Outcomes by target" in text
    assert shown_rows(text) == [
        ("Items", ["Reverted 1"]),
        ("UnitsOfMeasure", ["Reverted 2"]),
    ]


def test_a_report_of_an_earlier_version_has_no_picture(run, visitor):
    done = run(units("a"))
    ReportChunk.objects.update(steps={})
    assert "picture-title" not in visitor.text(run=done.run_id)


def test_a_page_of_a_step_reads_only_the_chunks_that_contain_it(
    admin, django_assert_num_queries
):
    run = ImportRun.objects.create(
        started_at="2026-01-01T00:00:00Z", status="Completed"
    )
    for first in range(0, 20_000, 1000):
        step = first // 10_000
        results = [
            ItemResult(f"{n}", step, n, "Items", Outcome.INSERTED, "", None)
            for n in range(first, first + 1000)
        ]
        chunk = pack(first, results)
        values = {"counts": chunk.counts, "steps": chunk.steps, "data": chunk.data}
        run.chunks.create(first=first, size=chunk.size, **values)
    wanted = {"step": "1:Items", "offset": 5500, "limit": 1}
    with django_assert_num_queries(3):  # the run, the heads, one chunk
        (found,) = services.report_entries(run.run_id, **wanted)
    assert found.index == 15_500
