"""The keys ``onMissing`` and ``maxDelete`` in the steps of a package."""

from __future__ import annotations

import pytest

from tests.builders import a_package, outcomes, units

pytestmark = pytest.mark.django_db
ALL = {"onMissing": "delete", "maxDelete": "100%"}


def test_one_step_speaks_for_all_of_its_catalog(run):
    run(units("a", "b", "c"))
    package = units("a", **ALL).with_step("UnitsOfMeasure").unit("unit:b", "b")
    report = run(package)
    assert outcomes(report) == {
        "unit:a": "Unchanged",
        "unit:b": "Unchanged",
        "unit:c": "Deleted",
    }


@pytest.mark.parametrize(
    ("first", "second", "path"),
    [
        ({"onMissing": "delete"}, {"onMissing": "report"}, "steps[1].onMissing"),
        ({"onMissing": "keep"}, {"onMissing": "delete"}, "steps[1].onMissing"),
        (
            {"onMissing": "delete", "maxDelete": 1},
            {"onMissing": "delete", "maxDelete": "1%"},
            "steps[1].maxDelete",
        ),
    ],
)
def test_steps_of_one_catalog_must_agree(run, first, second, path):
    report = run(units("a", **first).with_step("UnitsOfMeasure", **second))
    assert report.diagnostics[0].path == path
    assert "steps[0]" in report.diagnostics[0].message
    assert report.status == "Failed"


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ({"onMissing": "remove"}, "steps[0].onMissing"),
        ({"onMissing": "delete", "maxDelete": "5"}, "steps[0].maxDelete"),
        ({"onMissing": "delete", "maxDelete": "101%"}, "steps[0].maxDelete"),
        ({"onMissing": "delete", "maxDelete": "5%\n"}, "steps[0].maxDelete"),
        ({"onMissing": "delete", "maxDelete": -1}, "steps[0].maxDelete"),
        ({"onMissing": "delete", "maxDelete": 1.5}, "steps[0].maxDelete"),
        ({"onMissing": "delete", "maxDelete": True}, "steps[0].maxDelete"),
        ({"maxDelete": 1}, "steps[0]"),
    ],
)
def test_invalid_keys_are_refused_with_their_place(run, keys, path):
    report = run(units("a", **keys))
    assert report.diagnostics[0].path == path
    assert report.status == "Failed"


def test_executions_have_no_such_key(run):
    package = a_package().executions("RecalculateCosts", onMissing="report")
    (found,) = run(package).diagnostics
    assert found.message == (
        "steps[0].onMissing: steps of this kind don't have this key"
    )
