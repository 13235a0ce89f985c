"""The names of uploaded files: without paths and invisible characters, with their
extension."""

from __future__ import annotations

import pytest

from importer.package.file_names import file_name

CASES = {
    "as it is": ("Прайс лист.csv", "Прайс лист.csv"),
    "a path": ("../../etc/passwd", "passwd"),
    "a path of Windows": ("C:\\temp\\a.csv", "a.csv"),
    "both": ("a\\..\\b/c.csv", "c.csv"),
    "a path after a line end": ("a\n/b.csv", "b.csv"),
    "line ends": ("a\r\nX: y\u2028\u2029.csv", "a__X: y__.csv"),
    "controls": ("\x00\x1b[2Ja\x7f\x9b.csv", "__[2Ja__.csv"),
    "turned": ("\u202egnp\u2066\u2069\u200f\u061c.exe", "_gnp____.exe"),
    "half a pair": ("a\ud800.csv", "a_.csv"),
    "this folder": (".", ""),
    "the one above": ("..", ""),
    "only a folder": ("a/", ""),
    "dots and spaces at the end": (" a.csv. . ", "a.csv"),
    "hidden": (".htaccess", ".htaccess"),
    "empty": ("", ""),
    "none": (None, ""),
    "long": ("n" * 30 + ".csv", "n" * 16 + ".csv"),
    "long without an ending": ("n" * 30, "n" * 20),
    "long and hidden": ("." + "n" * 30, "." + "n" * 19),
    "a long ending": ("a." + "n" * 30, "a." + "n" * 18),
}


@pytest.mark.parametrize(("given", "kept"), CASES.values(), ids=CASES)
def test_file_names_are_reduced_to_a_plain_name(given, kept):
    assert file_name(given, 20) == kept
