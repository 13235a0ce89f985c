"""CSV files contain no formulas, and numbers stay numbers."""

from __future__ import annotations

import ast
import csv
import io

import pytest

from importer.csv_files import csv_pieces, harmless, without_apostrophe
from platform_site.settings.configuration import APPLICATION_FOLDER

WRITER = "importer/csv_files.py"


def lines(rows):
    text = b"".join(csv_pieces(["what"], rows)).decode()
    return list(csv.reader(io.StringIO(text, newline="")))[1:]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_never_starts_a_formula(start):
    assert lines([[f"{start}cmd|' /C calc'!A0"]]) == [[f"'{start}cmd|' /C calc'!A0"]]


@pytest.mark.parametrize("number", ["-5.0000", "+1", "-12", "0"])
def test_numbers_are_not_escaped(number):
    assert lines([[number]]) == [[number]]


@pytest.mark.parametrize("text", ["-5-2", "-1e5", "+1+cmd", "-٣"])
def test_a_text_that_only_starts_like_a_number_is_escaped(text):
    assert lines([[text]]) == [[f"'{text}"]]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "'=1+1", "''=1+1", "'-5", "-5", "'tis", "''", "'", "", "plain", "'@"],
)
def test_a_text_that_was_made_harmless_is_read_as_it_was(text):
    assert without_apostrophe(harmless(text)) == text


def test_nothing_is_lost_between_chunks():
    assert len(lines([[str(n)] for n in range(1201)])) == 1201


def test_no_other_module_writes_csv():
    """A second writer might forget to escape formulas."""
    found = set()
    for app in (
        "catalogs",
        "demo",
        "documents",
        "importer",
        "licensing",
        "platform_site",
    ):
        for path in (APPLICATION_FOLDER / app).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if (
                    isinstance(node, ast.Attribute)
                    and node.attr in {"writer", "DictWriter"}
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "csv"
                ):
                    found.add(path.relative_to(APPLICATION_FOLDER).as_posix())
    assert found == {WRITER}
