"""CSV files that leave the product begin no formula, and keep numbers numbers."""

from __future__ import annotations

import ast
import csv
import io

import pytest

from importer.csv_files import csv_pieces
from platform_site.settings.configuration import APPLICATION_FOLDER

WRITER = "importer/csv_files.py"


def lines(rows):
    text = b"".join(csv_pieces(["what"], rows)).decode()
    return list(csv.reader(io.StringIO(text, newline="")))[1:]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_begins_no_formula(start):
    assert lines([[f"{start}cmd|' /C calc'!A0"]]) == [[f"'{start}cmd|' /C calc'!A0"]]


@pytest.mark.parametrize("number", ["-5.0000", "+1", "-12", "0"])
def test_a_number_stays_a_number(number):
    assert lines([[number]]) == [[number]]


@pytest.mark.parametrize("text", ["-5-2", "-1e5", "+1+cmd", "-٣"])
def test_what_only_begins_like_a_number_is_a_text(text):
    assert lines([[text]]) == [[f"'{text}"]]


def test_nothing_is_lost_between_the_pieces():
    assert len(lines([[str(n)] for n in range(1201)])) == 1201


def test_nobody_else_writes_csv():
    """A second writer would forget the formulas."""
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
