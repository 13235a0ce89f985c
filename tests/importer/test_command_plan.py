"""import_package --plan imports what a dry run has planned."""

from __future__ import annotations

import re

import pytest
from django.core.management import CommandError, call_command

from importer.models import ImportRun
from tests.builders import model_of, units

pytestmark = pytest.mark.django_db


@pytest.fixture
def good(tmp_path):
    return units("pcs", "kg").as_file(tmp_path / "good.json")


def test_the_plan_of_a_dry_run_is_imported(good, admin, capsys):
    call_command("import_package", str(good), "--dry-run", "--quiet")
    planned = ImportRun.objects.get()
    call_command("import_package", "--plan", str(planned.run_id))
    out = capsys.readouterr().out
    assert out.startswith(f"Plan of the dry run {planned.run_id}, as admin\n")
    assert re.search(r"^Inserted +2$", out, re.MULTILINE)
    assert model_of("UnitsOfMeasure").objects.count() == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name a package, or a dry run with --plan"),
        (["file.json", "--plan", "x"], "Name a package, or a dry run with --plan"),
        (["--plan", "x", "--dry-run"], "A plan has its own dates"),
        (["--plan", "x"], "There is no run x"),
        (["--plan", "5e3e3843-98e8-42a3-9614-087763c4426e"], "There is no run 5e3e"),
    ],
)
def test_a_plan_takes_the_place_of_a_package(arguments, sentence, admin, capsys):
    with pytest.raises(CommandError, match=sentence) as refused:
        call_command("import_package", *arguments)
    assert refused.value.returncode == 2
    assert capsys.readouterr().out == ""


def test_an_import_has_no_plan(good, admin, capsys):
    call_command("import_package", str(good), "--quiet")
    done = ImportRun.objects.get()
    with pytest.raises(CommandError, match="Only a dry run has a plan"):
        call_command("import_package", "--plan", str(done.run_id))
    assert capsys.readouterr().out == ""
