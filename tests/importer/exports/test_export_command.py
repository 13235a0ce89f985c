"""The command export_package: its file, its output and its exit codes."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.builders import make_row
from tests.importer.exports.exporting import exported

pytestmark = pytest.mark.django_db


@pytest.fixture
def kg(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="kg", name="kilogram")


def test_the_package_is_written_and_counted(kg, tmp_path, capsys):
    file = tmp_path / "units.json"
    file.write_text("old")
    call_command("export_package", "--dictionary", "UnitsOfMeasure", str(file))
    assert file.read_bytes() == exported("UnitsOfMeasure")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"export:UnitsOfMeasure: 1 UnitsOfMeasure → {file}\n"
    assert [*tmp_path.iterdir()] == [file]


def test_without_a_file_the_package_is_printed(kg, capsysbinary):
    call_command("export_package", "--dictionary", "UnitsOfMeasure", verbosity=0)
    assert capsysbinary.readouterr().out == exported("UnitsOfMeasure")


def test_name_and_version_can_be_given(kg, capsys):
    call_command(
        "export_package",
        *("--dictionary", "UnitsOfMeasure", "-", "--where", "code=kg"),
        *("--package", "units", "--package-version", "7"),
    )
    header = json.loads(capsys.readouterr().out)
    assert (header["package"], header["version"]) == ("units", 7)
    assert len(header["steps"]) == 1


def test_rows_that_no_package_can_have_leave_the_file_as_it_was(
    admin, tmp_path, capsys
):
    make_row("UnitsOfMeasure", actor=admin, code="bag", name="$5 bag")
    file = tmp_path / "units.json"
    with pytest.raises(CommandError) as refused:
        call_command("export_package", "--dictionary", "UnitsOfMeasure", str(file))
    assert refused.value.returncode == 1
    assert "UnitsOfMeasure bag $5 bag: name:" in capsys.readouterr().err
    assert not file.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--dictionary", "Constants"],
        ["--dictionary", "Items", "--where", "prise=3"],
        ["--dictionary", "Items", "--package-version", "0"],
        ["--dictionary", "Items", "--package", "$x"],
    ],
)
def test_a_wrong_call_is_refused(db, arguments):
    with pytest.raises(CommandError) as refused:
        call_command("export_package", *arguments)
    assert refused.value.returncode == 2


def test_a_file_that_cannot_be_written_is_told(kg, tmp_path):
    file = tmp_path / "missing" / "units.json"
    with pytest.raises(CommandError, match="No such file") as refused:
        call_command("export_package", "--dictionary", "UnitsOfMeasure", str(file))
    assert refused.value.returncode == 1
