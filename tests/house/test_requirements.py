"""Every requirement of hosting has a test that names it, in its docstring or in the rows
it goes through: who asks how a requirement is held finds the answer by its number."""

from __future__ import annotations

import re

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.house.test_house import modules

NUMBERED = re.compile(r"HOST-(\d{3})(?:\s+to\s+HOST-(\d{3}))?")
LAST = 174


def named():
    """Return the numbers that the tests name, singly or as a range."""
    found = set()
    for path in modules():
        if path.is_relative_to(APPLICATION_FOLDER / "tests"):
            for first, last in NUMBERED.findall(path.read_text(encoding="utf-8")):
                found |= set(range(int(first), int(last or first) + 1))
    return found


def test_every_requirement_of_hosting_is_named_by_a_test():
    assert sorted(set(range(1, LAST + 1)) - named()) == []
