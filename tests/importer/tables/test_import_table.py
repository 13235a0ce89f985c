"""The command import_table: output, files and exit codes."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import suppress
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from catalogs.models import Item
from importer.models import ImportRun
from tests.importer.tables.lists import AMERICAN, GERMAN

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("trade")]


@pytest.fixture
def command(capsys):
    """Return a function that runs the command: exit code and output."""

    def call(*arguments, name="import_table"):
        code = 0
        try:
            call_command(name, *map(str, arguments))
        except SystemExit as ended:
            code = ended.code
        return code, capsys.readouterr().out

    return call


@pytest.fixture
def german(tmp_path):
    file = tmp_path / "preise.csv"
    file.write_bytes(GERMAN)
    return file


def refusal(*arguments):
    with pytest.raises(CommandError) as refused:
        call_command("import_table", *map(str, arguments))
    return refused.value.returncode, str(refused.value)


def test_a_list_is_imported_without_a_map(command, german):
    code, out = command(german, "--target", "Items")
    assert code == 1  # one row is wrong
    assert "  price                    Preis €\n" in out
    assert "  isFolder                 always false\n" in out
    assert "preise.csv → Items of Trade, as admin" in out
    assert 'line 6, Preis €: "auf Anfrage" is not a number' in out
    assert Item.objects.count() == 5


def test_a_second_run_changes_nothing(command, tmp_path):
    file = tmp_path / "list.csv"
    file.write_bytes(AMERICAN.replace(b"(call)", b"1.00").replace(b"Service", b"Goods"))
    assert command(file, "--target", "Items")[0] == 0
    code, out = command(file, "--target", "Items")
    assert code == 0
    assert "Unchanged                      3\n" in out


def test_a_dry_run_writes_nothing(command, german):
    code, out = command(german, "--target", "Items", "--dry-run")
    assert code == 1
    assert "Dry run: preise.csv" in out
    assert Item.objects.count() == 0


def test_the_map_that_was_found_is_saved_and_used_again(command, german, tmp_path):
    saved = tmp_path / "map.json"
    command(german, "--target", "Items", "--save-map", saved, "--dry-run")
    described = json.loads(saved.read_text("utf-8"))
    described["columns"] = [c for c in described["columns"] if c["property"] != "price"]
    saved.write_text(json.dumps(described))
    code, _ = command(german, "--map", saved)
    assert code == 0
    assert Item.objects.count() == 6


def test_the_package_of_a_table_has_the_same_effect(command, german, tmp_path):
    package = tmp_path / "package.json"
    assert command(german, "--target", "Items", "--to-package", package)[0] == 0
    assert not ImportRun.objects.exists()
    arguments = (package, "--continue-on-error")
    code, out = command(*arguments, name="import_package")
    assert code == 1
    assert '"auf Anfrage" is not a number' in out
    _, out = command(german, "--target", "Items")
    assert "Unchanged                      5\n" in out


def test_a_table_comes_from_the_standard_input(command, monkeypatch):
    piped = SimpleNamespace(buffer=io.BytesIO(AMERICAN))
    monkeypatch.setattr(sys, "stdin", piped)
    assert command("-", "--target", "Items")[0] == 1
    assert Item.objects.count() == 2


def test_what_no_column_has_ends_the_command(tmp_path):
    file = tmp_path / "list.csv"
    file.write_bytes(b"SKU;Price\n1;2,50\n")
    code, message = refusal(file, "--target", "Items")
    assert code == 2
    assert "No column was recognised for: name, unitOfMeasureId" in message
    assert "The table has: SKU, Price" in message


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "the file is empty"), (b"PK\x03\x04", "the workbook can't be read")],
)
def test_a_file_that_is_no_table_ends_the_command(tmp_path, content, sentence):
    file = tmp_path / "list.xlsx"
    file.write_bytes(content)
    code, message = refusal(file, "--target", "Items")
    assert (code, sentence in message) == (2, True)


def test_a_missing_file_ends_the_command(tmp_path):
    code, message = refusal(tmp_path / "none.csv", "--target", "Items")
    assert (code, "cannot be read" in message) == (2, True)


def test_a_wrong_map_ends_the_command_with_all_its_errors(german, tmp_path):
    wrong = tmp_path / "map.json"
    wrong.write_text('{"target": "Items", "columns": [], "keys": []}')
    code, message = refusal(german, "--map", wrong)
    assert code == 2
    assert "  columns: must be a list of columns" in message
    assert '  keys: unknown key; did you mean "key"?' in message
    wrong.write_text('{"target": "Items",}')
    assert "line 1, column" in refusal(german, "--map", wrong)[1]


def test_an_unknown_target_ends_the_command(german):
    code, message = refusal(german, "--target", "Itemz")
    assert (code, 'did you mean "Items"?' in message) == (2, True)


def test_the_changes_of_a_dry_run_are_listed(command, german):
    code, out = command(german, "--target", "Items", "--dry-run", "--diff")
    assert code == 1
    assert "+ Items 4711 Schlüssel 10 mm\n" in out
    command(german, "--target", "Items", "--quiet")
    german.write_bytes(GERMAN.replace(b"12,50", b"13,50"))
    _, out = command(german, "--target", "Items", "--show", "updated,failed")
    assert re.search(r"^~ Items 4711 price 12\.50? → 13\.50?$", out, re.MULTILINE)
    assert "preise.csv:6 Items:4712" in out


def test_only_errors_are_printed_if_that_is_asked_for(german, capsys):
    with pytest.raises(SystemExit):
        call_command("import_table", str(german), "--target", "Items", "--quiet")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert 'line 6, Preis €: "auf Anfrage" is not a number' in printed.err


def test_each_entry_is_a_line_of_json(command, german, tmp_path):
    report = tmp_path / "report.json"
    lines = ("--format", "jsonl", "--report", report)
    _, out = command(german, "--target", "Items", *lines)
    entries = [json.loads(line) for line in out.splitlines()]
    assert [one["line"] for one in entries if one.get("outcome") == "Failed"] == [6]
    assert json.loads(report.read_text("utf-8"))["counts"]["Inserted"] == 5


@pytest.mark.parametrize(
    ("option", "begin"),
    [
        ("--to-package", b'{"format":"platform-import/1"'),
        ("--save-map", b'{\n  "target": "Items"'),
        ("--failed", b"\xef\xbb\xbf\r\n\r\n\r\nArtikelnummer;"),
        ("--report", b"{"),
    ],
)
def test_a_file_goes_to_the_standard_output_alone(german, capsysbinary, option, begin):
    with suppress(SystemExit):
        call_command("import_table", str(german), "--target", "Items", option, "-")
    printed = capsysbinary.readouterr()
    assert printed.out.startswith(begin)
    assert b"always false" in printed.err
    if option != "--failed":
        json.loads(printed.out)


def test_two_files_never_go_to_the_standard_output(german):
    for more in (("--report", "-"), ("--format", "jsonl")):
        code, message = refusal(german, "--target", "Items", "--failed", "-", *more)
        assert (code, "leave out one of them" in message) == (2, True)
