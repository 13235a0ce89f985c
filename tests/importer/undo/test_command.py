"""The command undo_run: output and exit codes."""

from __future__ import annotations

import json
import re

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from importer.runs.lock import IMPORT, import_lock
from tests.builders import make_row, model_of, row_of, units

pytestmark = pytest.mark.django_db


@pytest.fixture
def command(capsys):
    """Return a function that runs the command: exit code and output."""

    def call(*arguments):
        code = 0
        try:
            call_command("undo_run", *map(str, arguments))
        except SystemExit as ended:
            code = ended.code
        except CommandError as error:
            return error.returncode, str(error)
        return code, capsys.readouterr().out

    return call


def test_a_dry_run_and_an_undo_print_their_counts(command, run):
    done = run(units("a", "b"))
    code, out = command(done.run_id, "--dry-run")
    assert code == 0
    assert re.search(r"^Reverted +2$", out, re.MULTILINE)
    assert "Nothing was written." in out
    assert model_of("UnitsOfMeasure").objects.live().count() == 2
    assert command(done.run_id)[0] == 0
    assert not model_of("UnitsOfMeasure").objects.live().exists()


def test_blocked_rows_are_printed_and_give_exit_code_1(command, run, admin):
    done = run(units("a"))
    named = {"name": "Tea", "code": "TEA", "isFolder": False, "category": "goods"}
    unit = row_of("UnitsOfMeasure", "a").pk
    make_row("Items", actor=admin, unitOfMeasureId=unit, **named)
    code, out = command(done.run_id)
    assert code == 1
    assert "! UnitsOfMeasure a a: a a is in use" in out


def test_the_report_can_be_printed_as_json(command, run):
    code, out = command(run(units("a")).run_id, "--format", "json", "-v", "0")
    assert (code, json.loads(out)["counts"]["Reverted"]) == (0, 1)


def test_a_diff_shows_the_values_that_come_back(command, run):
    run(units("a"))
    package = units("a")
    package.steps[0]["items"][0]["name"] = "Ampere"
    done = run(package)
    _, out = command(done.run_id, "--dry-run", "--diff")
    assert out.startswith("~ UnitsOfMeasure a name Ampere → a\n")
    _, out = command(done.run_id, "--dry-run", "--show", "kept")
    assert out.startswith("Reverted ")


def test_lines_of_json_end_with_the_run(command, run):
    done = run(units("a", "b"))
    _, out = command(done.run_id, "--format", "jsonl")
    *entries, undo = map(json.loads, out.splitlines())
    assert [entry["outcome"] for entry in entries] == ["Reverted", "Reverted"]
    assert undo["counts"]["Reverted"] == 2


def test_quiet_prints_nothing_if_all_is_undone(command, run):
    assert command(run(units("a")).run_id, "--quiet") == (0, "")


def test_a_misspelt_outcome_is_refused(command, run):
    code, said = command(run(units("a")).run_id, "--show", "blockd")
    assert (code, 'Did you mean "blocked"?' in said) == (2, True)


def test_wrong_calls_are_refused(command, run):
    code, said = command("nonsense")
    assert (code, "no run nonsense" in said) == (2, True)
    code, said = command(run(units("a"), dry_run=True).run_id)
    assert (code, "is a dry run" in said) == (2, True)
    assert command(run(units("a")).run_id, "--user", "nobody")[0] == 2


def test_another_run_in_progress_gives_exit_code_75(command, run):
    done = run(units("a"))
    with import_lock("admin", IMPORT):
        assert command(done.run_id)[0] == 75
