"""What is said of a row that only the database refuses, by what its driver tells."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, models

from importer.package.shapes import BY_DATABASE, Refusal
from platform_site.records.importing import RecordTarget
from platform_site.records.services import create_record
from tests.builders import a_package, code, model_of, row_of, units

# References are checked at the end of a transaction.
pytestmark = pytest.mark.django_db(transaction=True)
REFUSED = "The database refused the row: "
NOWHERE = 999_999


@pytest.fixture
def spoil(monkeypatch):
    """Return a function that gives each row, right after its write, a value that no
    validation lets through."""
    write = RecordTarget.write

    def give(**values):
        def spoiled(self, draft, mark):
            write(self, draft, mark)
            models.QuerySet(type(draft.row)).filter(pk=draft.row.pk).update(**values)

        monkeypatch.setattr(RecordTarget, "write", spoiled)

    return give


def the_problem(report):
    (problem,) = report.problems
    assert problem.code == BY_DATABASE
    return problem


def test_a_value_that_another_row_has(run, spoil):
    run(units("kg"))
    spoil(code="kg")
    problem = the_problem(run(units("pcs", package="corpus.b")))
    assert problem.message == f"{REFUSED}no two rows may have the same code."
    assert problem.about == "code"
    assert problem.remedy == "Give the object another value."


def test_values_that_no_two_rows_have_together(run, spoil):
    run(units("kg"))
    spoil(import_source="corpus.a", import_key="unit:kg")
    problem = the_problem(run(units("pcs", package="corpus.b")))
    both = "Import_Source, Import_Key"
    assert problem.message == f"{REFUSED}no two rows may have the same {both}."
    assert problem.about == ""


def test_a_row_that_refers_to_nothing(run, spoil):
    run(units("kg"))
    spoil(unit_of_measure_id=NOWHERE)
    package = a_package("corpus.b").with_step("Items").goods("i", "1", code("kg"))
    problem = the_problem(run(package))
    assert problem.message == f"{REFUSED}it refers to a row that doesn't exist."
    assert problem.remedy == "Refer to a row that exists."
    # SQLite doesn't say which reference it is.
    named = connection.vendor == "postgresql"
    assert problem.about == ("unitOfMeasureId" if named else "")


def test_a_value_that_is_missing(run, spoil):
    spoil(name=None)
    problem = the_problem(run(units("pcs")))
    assert problem.message == f"{REFUSED}name needs a value."
    assert problem.about == "name"
    assert problem.remedy == (
        "Give it a value; a column that packages can't fill needs a default."
    )


def test_a_column_that_no_package_can_fill_is_named_as_it_is(run, spoil):
    spoil(version=None)
    problem = the_problem(run(units("pcs")))
    assert problem.message == f"{REFUSED}version needs a value."
    assert problem.about == ""


def test_a_rule_of_the_table(run, spoil):
    spoil(minor_units=-1)
    package = a_package().with_step("Currencies").item("c", code="XAU", name="Gold")
    problem = the_problem(run(package))
    assert problem.message.startswith(f"{REFUSED}it breaks the rule ")
    assert "minor_units" in problem.message
    assert problem.remedy == "Change the values that this rule is about."


def test_whatever_else_is_told_in_the_words_of_the_database(run, monkeypatch):
    def refuse(*_):
        raise IntegrityError("ranges overlap\nDETAIL: more than one wants to know")

    monkeypatch.setattr(RecordTarget, "write", refuse)
    problem = the_problem(run(units("pcs")))
    assert problem.message == f"{REFUSED}ranges overlap."
    assert problem.remedy == ""


def test_a_value_that_was_taken_meanwhile_is_told_with_its_row(admin, monkeypatch):
    """Also where the database is the first to see it."""
    create_record(
        model=model_of("UnitsOfMeasure"), data={"code": "kg", "name": "A"}, actor=admin
    )
    monkeypatch.setattr(RecordTarget, "_taken", lambda *_: [])
    with pytest.raises(Refusal) as refused:
        create_record(
            model=model_of("UnitsOfMeasure"),
            data={"code": "kg", "name": "B"},
            actor=admin,
        )
    (problem,) = refused.value.problems
    assert (problem.path, problem.code) == ("code", "taken")
    assert problem.owner.row_id == row_of("UnitsOfMeasure", "kg").pk
