"""The page on security: behind each threat stands a test that is there."""

from __future__ import annotations

import ast
import re
from functools import cache

from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT

PAGE = ROOT / "docs" / "security.md"
NODE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def threats():
    """Return the cells of each line of the list of threats."""
    text = PAGE.read_text("utf-8").partition("## Threats")[2]
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    return [
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in rows
        if not row.startswith(("| Threat |", "|---"))
    ]


@cache
def defined_in(path):
    """Return the names of the tests in a module."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_test_that_is_named_exists():
    named = NODE.findall(PAGE.read_text("utf-8"))
    assert len(named) > 60
    missing = {
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file() or name not in defined_in(path)
    }
    assert missing == set()


def test_every_threat_has_a_test():
    assert len(threats()) > 40
    without = {
        cells[0] for cells in threats() if len(cells) != 3 or not NODE.search(cells[2])
    }
    assert without == set()
