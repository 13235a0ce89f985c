"""The messages for rows that only the database refuses, made from its driver's
error."""

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
    """Return a function that sets an invalid value in each row right after its
    write."""
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


def test_a_duplicate_value_is_explained(run, spoil):
    run(units("kg"))
    spoil(code="kg")
    problem = the_problem(run(units("pcs", package="corpus.b")))
    assert problem.message == f"{REFUSED}no two rows may have the same code."
    assert problem.about == "code"
    assert problem.remedy == "Give the object another value."


def test_duplicate_combined_values_are_explained(run, spoil):
    run(units("kg"))
    spoil(import_source="corpus.a", import_key="unit:kg")
    problem = the_problem(run(units("pcs", package="corpus.b")))
    both = "Import_Source, Import_Key"
    assert problem.message == f"{REFUSED}no two rows may have the same {both}."
    assert problem.about == ""


def test_a_dangling_reference_is_explained(run, spoil):
    run(units("kg"))
    spoil(unit_of_measure_id=NOWHERE)
    package = a_package("corpus.b").with_step("Items").goods("i", "1", code("kg"))
    problem = the_problem(run(package))
    assert problem.message == f"{REFUSED}it refers to a row that doesn't exist."
    assert problem.remedy == "Refer to a row that exists."
    # SQLite doesn't say which reference it is.
    named = connection.vendor == "postgresql"
    assert problem.about == ("unitOfMeasureId" if named else "")


def test_a_missing_value_is_explained(run, spoil):
    spoil(name=None)
    problem = the_problem(run(units("pcs")))
    assert problem.message == f"{REFUSED}name needs a value."
    assert problem.about == "name"
    assert problem.remedy == (
        "Give it a value; a column that packages can't fill needs a default."
    )


def test_a_column_without_a_property_is_named_as_such(run, spoil):
    spoil(version=None)
    problem = the_problem(run(units("pcs")))
    assert problem.message == f"{REFUSED}version needs a value."
    assert problem.about == ""


def test_a_check_constraint_is_explained(run, spoil):
    spoil(minor_units=-1)
    package = a_package().with_step("Currencies").item("c", code="XAU", name="Gold")
    problem = the_problem(run(package))
    assert problem.message.startswith(f"{REFUSED}it breaks the rule ")
    assert "minor_units" in problem.message
    assert problem.remedy == "Change the values that the rule applies to."


def test_other_errors_are_quoted_from_the_database(run, monkeypatch):
    def refuse(*_):
        raise IntegrityError("ranges overlap\nDETAIL: more than one wants to know")

    monkeypatch.setattr(RecordTarget, "write", refuse)
    problem = the_problem(run(units("pcs")))
    assert problem.message == f"{REFUSED}ranges overlap."
    assert problem.remedy == ""


def test_a_value_taken_concurrently_is_reported_with_its_row(admin, monkeypatch):
    """Even if the database is the first to notice."""
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
