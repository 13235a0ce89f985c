"""What import_package prints: diffs, chosen outcomes, errors alone, lines of JSON."""

from __future__ import annotations

import json
import re

import pytest
from django.core.management import CommandError, call_command

from importer.models import ImportRun
from platform_site.records.services import update_record
from tests.builders import edit_row, model_of, row_of, units

pytestmark = pytest.mark.django_db


@pytest.fixture
def garden(tmp_path):
    """Return a function that writes a package of two items at these prices."""

    def write(trowel, rake, **step):
        package = units("pcs").with_step("Items", **step)
        package.goods("item:1", "50011", {"$ref": "unit:pcs"}, price=trowel)
        package.goods("item:2", "50012", {"$ref": "unit:pcs"}, price=rake)
        return package.as_file(tmp_path / "garden.json")

    return write


@pytest.fixture
def command(capsys, admin):
    """Return a function that runs the command: exit code, output, error stream."""

    def call(*arguments):
        code = 0
        try:
            call_command("import_package", *map(str, arguments))
        except SystemExit as ended:
            code = ended.code
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def listed(out):
    """Return the lines before the counts, without the first one."""
    lines = out.splitlines()[1:]
    counts = next(n for n, line in enumerate(lines) if re.fullmatch(r"\w+ +\d+", line))
    return lines[:counts]


def test_a_diff_shows_new_rows_and_changed_values(command, garden):
    _, out, _ = command(garden("10.90", "5"), "--diff")
    assert listed(out) == [
        "+ UnitsOfMeasure pcs pcs",
        "+ Items 50011 Item 50011",
        "+ Items 50012 Item 50012",
    ]
    _, out, _ = command(garden("11.90", "5"), "--dry-run", "--diff")
    assert listed(out) == ["~ Items 50011 price 10.90 → 11.90"]


def test_a_dry_run_on_a_terminal_shows_its_diff(command, garden, monkeypatch):
    command(garden("10.90", "5"))
    changed = garden("11.90", "5")
    assert listed(command(changed, "--dry-run")[1]) == []
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert listed(command(changed, "--dry-run")[1]) == [
        "~ Items 50011 price 10.90 → 11.90"
    ]
    assert listed(command(changed, "--dry-run", "--no-diff")[1]) == []
    assert listed(command(changed)[1]) == []


def test_a_diff_shows_both_values_of_kept_rows(command, garden, admin):
    command(garden("10.90", "5"))
    edit_row(row_of("Items", "50011"), actor=admin, price="9")
    _, out, _ = command(garden("11.90", "5"), "--diff")
    assert listed(out) == [
        "= Items 50011 price 9.00 kept, package 11.90 (changed by admin)"
    ]


def test_a_diff_shows_what_a_merge_left_out(command, garden, admin):
    command(garden("10.90", "5"))
    row = row_of("Items", "50011")
    update_record(row=row, data={"price": "9"}, actor=admin)
    merging = garden("11.90", "5", onUserModified="merge")
    (line,) = listed(command(merging, "--diff")[1])
    expected = "= Items 50011 price 9.00 kept, package 11.90, last imported 10.90"
    assert line.startswith(expected)


def test_a_diff_shows_deleted_rows(command, tmp_path):
    command(units("a", "b").as_file(tmp_path / "p.json"))
    fewer = units("a", onMissing="delete", maxDelete=1).as_file(tmp_path / "p.json")
    (line,) = listed(command(fewer, "--dry-run", "--diff")[1])
    assert line.startswith("- UnitsOfMeasure ")


def test_only_the_outcomes_asked_for_are_listed(command, tmp_path):
    package = units("a", "b", "c")
    package.steps[0]["items"][1]["code"] = "a"
    file = package.as_file(tmp_path / "p.json")
    _, out, _ = command(file, "--dry-run", "--continue-on-error", "--show", "FAILED")
    (line,) = listed(out)
    assert re.match(rf'{re.escape(str(file))}:1 unit:b code: "a" is already ', line)
    _, out, _ = command(file, "--dry-run", "--show", "inserted, failed")
    assert [line[0] for line in listed(out)] == ["+", "/", "+"]
    _, out, _ = command(file, "--dry-run", "--show", "failed", "--format", "json")
    assert [each["id"] for each in json.loads(out)["items"]] == ["unit:b"]


def test_values_cannot_control_the_terminal_or_begin_lines(command, garden, tmp_path):
    file = garden("1", "2")
    command(file)
    text = file.read_text().replace("Item 50011", "I\\n- Items \\u202e")
    file.write_text(text)
    _, out, _ = command(file, "--dry-run", "--show", "updated,failed")
    (line,) = listed(out)
    assert "\u202e" not in line
    assert r"\u202e" in line


def test_quiet_prints_nothing_but_errors(command, garden, tmp_path):
    assert command(garden("1", "2"), "--quiet") == (0, "", "")
    package = units("a", "b", package="other")
    package.steps[0]["items"][1]["code"] = "a"
    file = package.as_file(tmp_path / "p.json")
    code, out, err = command(file, "--quiet")
    assert (code, out) == (1, "")
    assert err.startswith(f'{file}:1 unit:b code: "a" is already used')
    assert "finished" not in err


def test_lines_of_json_are_one_for_each_entry_and_one_for_the_run(command, garden):
    code, out, _ = command(garden("1", "2"), "--format", "jsonl")
    *entries, run = map(json.loads, out.splitlines())
    assert code == 0
    assert [entry["id"] for entry in entries] == ["unit:pcs", "item:1", "item:2"]
    assert run["runId"] == str(ImportRun.objects.get().pk)
    assert run["counts"]["Inserted"] == 3
    assert "items" not in run
    _, out, _ = command(garden("1", "3"), "--format", "jsonl", "--show", "updated")
    entry, run = map(json.loads, out.splitlines())
    assert (entry["id"], run["counts"]["Unchanged"]) == ("item:2", 2)


def test_the_report_on_standard_output_is_alone_there(command, garden):
    code, out, err = command(garden("1", "2"), "--report", "-", "--dry-run")
    assert code == 0
    assert len(json.loads(out)["items"]) == 3
    assert "Dry run: corpus.a 1 → Trade" in err
    assert re.search(r"^Inserted +3$", err, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--quiet", "--diff"], "--quiet prints only errors; leave out --diff."),
        (["--quiet", "--show", "failed"], "leave out --show."),
        (["--quiet", "--format", "json"], "leave out --format json."),
        (["--diff", "--format", "jsonl"], "contains the changes already"),
        (["--no-diff", "--show", "failed"], "leave out --no-diff."),
        (["--report", "-", "--format", "jsonl"], "Both --report - and --format"),
        (["--show", "updatde"], 'no outcome "updatde". Did you mean "updated"?'),
        (["--show", "updated,"], 'no outcome "". The outcomes are inserted, '),
        (["other.json"], "Import one package at a time."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_does_not_go_together_is_refused(garden, arguments, sentence):
    with pytest.raises(CommandError) as refused:
        call_command("import_package", str(garden("1", "2")), *arguments)
    assert sentence in str(refused.value)
    assert refused.value.returncode == 2
    assert not model_of("Items").objects.exists()
