"""The causes of failures, shown first in a report."""

from __future__ import annotations

import json

import msgspec
import pytest
from django.test import RequestFactory

from importer import registry
from importer.admin_page import report as report_of
from importer.models import ImportRun
from tests.builders import make_row, units

pytestmark = pytest.mark.django_db


def test_causes_show_dependants_owner_and_remedy(visitor, run, admin):
    row = make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")
    package = units("pcs").with_step("Items")
    for number in range(30):
        package.goods(f"item:{number}", f"I{number}", {"$ref": "unit:pcs"})
    report = visitor.text(run=run(package, dry_run=True).run_id)
    assert "Errors (1)" in report
    assert "is taken by pcs Pieces, which was entered by hand." in report
    assert "30 more fail only because they refer to one that failed" in report
    assert "the step has no &quot;match&quot;" in report
    link = registry.row_link("UnitsOfMeasure", row.pk, admin)
    assert f'<a href="{link}">Open pcs Pieces</a>' in report
    assert "· pcs pcs" in report


def test_the_blocking_row_is_not_linked_for_users_who_may_not_view_it(
    clerk, run, admin
):
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")
    told = run(units("pcs"), dry_run=True)
    shown = _problems(ImportRun(problems=msgspec.to_builtins(told.problems)), clerk())
    assert [row["link"] for one in shown for row in one["rows"]] == [""]


def _problems(run, user):
    request = RequestFactory().get("/")
    request.user = user
    return report_of._problems(run, request)


def test_a_run_of_an_earlier_version_shows_its_errors(visitor, run):
    run_id = run(units("a", "a"), dry_run=False).run_id
    ImportRun.objects.filter(pk=run_id).update(problems=[])
    assert "Errors (1)" in visitor.text(run=run_id)


def test_causes_of_one_kind_are_grouped_with_their_values(visitor, run, admin):
    codes = [f"u{number}" for number in range(12)]
    rows = {
        one: make_row("UnitsOfMeasure", actor=admin, code=one, name=one.upper())
        for one in codes
    }
    package = units(*codes).with_step("Items")
    package.goods("item:1", "I1", {"$ref": "unit:u11"})
    report = visitor.text(run=run(package, dry_run=True).run_id)
    assert "Errors (1)" in report
    assert "12 values of code in UnitsOfMeasure are taken by rows that" in report
    assert "12 objects were refused because of this; 1 more fails only" in report
    assert report.count("the step has no &quot;match&quot;") == 1
    shown, behind = report.split("Show all 12 values", 1)
    assert "and 9 more" in shown
    assert shown.rsplit("<details", 1)[0].count("<b>u") == 3
    behind = behind.split("</details>", 1)[0]
    for one, row in rows.items():
        link = registry.row_link("UnitsOfMeasure", row.pk, admin)
        assert f'<b>{one}</b> (<a href="{link}">{one} {one.upper()}</a>)' in behind
    assert "steps[0].items[7].code" in behind


def test_the_line_is_shown_if_the_file_has_several(visitor, run):
    """A generated package is often a single line, whose number doesn't help."""
    package = units("a").with_step("Items").goods("item:1", "I1", {"$ref": "no"})
    assert "line 1" not in visitor.text(run=run(package, dry_run=True).run_id)
    content = json.dumps(json.loads(package.as_bytes()), indent=1).encode()
    lines = content.split(b"\n")
    line = next(n for n, each in enumerate(lines, 1) if b'"item:1"' in each)
    told = visitor.text(run=run(content, dry_run=True).run_id)
    assert f"line {line - 1}<" in told


def test_the_severity_of_a_note_is_translated(visitor, run):
    run_id = run(units("a"), dry_run=False).run_id
    said = {"severity": "Warning", "path": "$", "message": "look here"}
    ImportRun.objects.filter(pk=run_id).update(diagnostics=[said])
    visitor.client.cookies["django_language"] = "de"
    assert "<strong>Warnung</strong>" in visitor.text(run=run_id)


def test_a_cause_in_the_header_names_its_property(visitor, run):
    content = json.loads(units("a").as_bytes())
    del content["origin"]
    told = run(json.dumps(content).encode(), dry_run=True)
    report = visitor.text(run=told.run_id)
    assert "origin is required" in report
