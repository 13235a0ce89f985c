"""Renamed packages, renamed objects, and rows taken over from other packages."""

from __future__ import annotations

import pytest

from platform_site.changes.models import ChangeEvent
from tests.builders import (
    a_package,
    delete_row,
    edit_row,
    messages,
    model_of,
    outcomes,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db
NEW = "corpus.renamed"


def renamed(*codes, since=("corpus.a",), **step):
    package = units(*codes, package=NEW, **step)
    package.header["renamedFrom"] = list(since)
    return package


def was(package, **earlier):
    """Give objects their earlier ids, by code."""
    for item in package.steps[0]["items"]:
        if item["code"] in earlier:
            item["$was"] = earlier[item["code"]]
    return package


def sources():
    return set(
        model_of("UnitsOfMeasure").objects.values_list("import_source", "import_key")
    )


# -- packages with another name --------------------------------------------------


def test_a_renamed_package_finds_its_rows_and_marks_them_with_its_new_name(run):
    run(units("pcs", "kg"))
    events = ChangeEvent.objects.count()
    assert set(outcomes(run(renamed("pcs", "kg"))).values()) == {"Unchanged"}
    assert sources() == {(NEW, "unit:pcs"), (NEW, "unit:kg")}
    assert ChangeEvent.objects.count() == events
    assert set(outcomes(run(units("pcs", "kg", package=NEW))).values()) == {"Unchanged"}


def test_without_its_earlier_name_a_renamed_package_is_another(run):
    run(units("pcs"))
    assert outcomes(run(units("pcs", package=NEW))) == {"unit:pcs": "Failed"}


def test_a_dry_run_finds_the_rows_too_and_renames_nothing(run):
    run(units("pcs"))
    report = run(renamed("pcs"), dry_run=True)
    assert outcomes(report) == {"unit:pcs": "Unchanged"}
    assert sources() == {("corpus.a", "unit:pcs")}


def test_the_row_of_the_new_name_wins(run, admin):
    """Somebody ran the renamed package without the earlier name before."""
    run(units("pcs"))
    delete_row(row_of("UnitsOfMeasure", "pcs"), actor=admin)
    run(units("pcs", package=NEW))
    assert outcomes(run(renamed("pcs"))) == {"unit:pcs": "Unchanged"}
    assert row_of("UnitsOfMeasure", "pcs").import_source == NEW


def test_each_of_several_earlier_names_is_found(run):
    run(units("pcs"))
    run(units("kg", package="corpus.b"))
    report = run(renamed("pcs", "kg", since=["corpus.b", "corpus.a", NEW]))
    assert set(outcomes(report).values()) == {"Unchanged"}
    assert {source for source, _key in sources()} == {NEW}


def test_what_a_user_edited_or_deleted_stays_so_under_the_new_name(run, admin):
    run(units("pcs", "kg"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    delete_row(row_of("UnitsOfMeasure", "kg"), actor=admin)
    package = renamed("pcs", "kg")
    for item in package.steps[0]["items"]:
        item["name"] = "Theirs"
    assert outcomes(run(package)) == {
        "unit:pcs": "SkippedUserModified",
        "unit:kg": "SkippedDeleted",
    }
    assert {source for source, _key in sources()} == {NEW}


# -- objects with another id -----------------------------------------------------


def again(*codes, **earlier):
    """Return a package whose objects have other ids than those of `units`."""
    package = a_package().with_step("UnitsOfMeasure")
    for each in codes:
        package.unit(f"uom/{each}", each)
    return was(package, **earlier)


def test_a_renamed_object_keeps_its_row(run):
    run(units("pcs", "kg"))
    report = run(again("pcs", "kg", pcs="unit:pcs", kg="unit:kg"))
    assert sources() == {("corpus.a", "uom/pcs"), ("corpus.a", "uom/kg")}
    assert model_of("UnitsOfMeasure").objects.count() == 2
    assert set(outcomes(report).values()) == {"Unchanged"}
    report = run(again("pcs", "kg", pcs="unit:pcs", kg="unit:kg"))
    assert set(outcomes(report).values()) == {"Unchanged"}


def test_a_renamed_object_may_change_too(run):
    run(units("pcs"))
    package = again("pcs", pcs="unit:pcs")
    package.steps[0]["items"][0]["name"] = "Pieces"
    report = run(package)
    assert outcomes(report) == {"uom/pcs": "Updated"}
    assert report.items[0].changes == {"name": ["pcs", "Pieces"]}
    assert outcomes(run(package)) == {"uom/pcs": "Unchanged"}


def test_a_renamed_object_whose_row_a_user_edited_is_unchanged(run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    assert outcomes(run(again("pcs", pcs="unit:pcs"))) == {"uom/pcs": "Unchanged"}
    package = again("pcs")
    package.steps[0]["items"][0]["name"] = "Theirs"
    assert outcomes(run(package)) == {"uom/pcs": "SkippedUserModified"}


def test_the_earlier_id_may_be_left_out_again(run):
    run(units("pcs"))
    run(again("pcs", pcs="unit:pcs"))
    assert outcomes(run(again("pcs"))) == {"uom/pcs": "Unchanged"}


def test_package_and_object_may_be_renamed_at_once(run):
    run(units("pcs"))
    package = was(renamed("pcs"), pcs="unit:pcs")
    package.steps[0]["items"][0]["$id"] = "uom/pcs"
    assert outcomes(run(package)) == {"uom/pcs": "Unchanged"}
    assert sources() == {(NEW, "uom/pcs")}


@pytest.mark.parametrize(
    ("earlier", "sentence"),
    [
        ("unit:kg", '"unit:kg" is the $id of another object of this package'),
        ("", "must have 1 to 200 characters"),
        ("x" * 201, "must have 1 to 200 characters"),
        (5, "must be a string, not 5"),
        (None, "must be a string, not null"),
        ("$x", "must not start with $"),
    ],
)
def test_a_wrong_earlier_id_is_refused_before_anything_is_written(
    run, earlier, sentence
):
    report = run(was(units("kg", "pcs"), pcs=earlier))
    assert outcomes(report) == {"unit:pcs": "Failed"}
    message = messages(report)["unit:pcs"]
    assert message.startswith("steps[0].items[1].$was: ")
    assert sentence in message
    assert not sources()


def test_two_objects_cannot_have_been_one(run):
    report = run(was(units("kg", "pcs"), pcs="unit", kg="unit"))
    assert messages(report) == {
        "unit:pcs": 'steps[0].items[1].$was: "unit" is given as the earlier $id of '
        '"unit:kg", too'
    }


# -- rows of other packages ------------------------------------------------------


def test_a_step_takes_over_the_rows_of_packages_it_names(run):
    run(units("pcs", package="corpus.b"))
    row = row_of("UnitsOfMeasure", "pcs")
    report = run(units("pcs", match=["code"], takeOver=["corpus.b"]))
    assert outcomes(report) == {"unit:pcs": "Adopted"}
    assert report.items[0].message == 'taken over from "corpus.b"'
    assert report.items[0].row_id == row.pk
    assert sources() == {("corpus.a", "unit:pcs")}
    event = ChangeEvent.objects.latest("id")
    assert (event.action, event.row_id) == ("adopted", row.pk)
    assert outcomes(run(units("pcs", match=["code"]))) == {"unit:pcs": "Unchanged"}


def test_a_dry_run_tells_what_it_would_take_over(run):
    run(units("pcs", package="corpus.b"))
    package = units("pcs", match=["code"], takeOver=["corpus.b"])
    report = run(package, dry_run=True)
    assert report.items[0].message == 'taken over from "corpus.b"'
    assert sources() == {("corpus.b", "unit:pcs")}


def test_rows_of_packages_that_are_not_named_stay_where_they_are(run):
    run(units("pcs", package="corpus.b"))
    package = units("pcs", match=["code"], takeOver=["corpus.c"])
    report = run(package)
    assert outcomes(report) == {"unit:pcs": "Failed"}
    (problem,) = report.problems
    assert '"takeOver": ["corpus.b"]' in problem.remedy
    assert sources() == {("corpus.b", "unit:pcs")}


def test_the_package_that_lost_a_row_does_not_write_it_any_more(run):
    run(units("pcs", package="corpus.b"))
    run(units("pcs", match=["code"], takeOver=["corpus.b"]))
    package = units("pcs", package="corpus.b")
    assert outcomes(run(package)) == {"unit:pcs": "Failed"}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            {"takeOver": ["corpus.b"]},
            "steps[0]: takeOver can be used only together with match",
        ),
        (
            {"match": ["code"], "takeOver": "corpus.b"},
            'steps[0].takeOver: must be an array, not "corpus.b"',
        ),
        (
            {"match": ["code"], "takeOver": [f"corpus.{n}" for n in range(21)]},
            "steps[0].takeOver: must have at most 20 entries",
        ),
    ],
)
def test_a_wrong_take_over_is_refused(run, step, message):
    report = run(units("pcs", **step))
    assert report.diagnostics[0].message == message
