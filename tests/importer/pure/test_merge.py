"""The three-way merge of a row and an object."""

from __future__ import annotations

import pytest

from importer.pipeline.merge import merge

# What the engine wrote last to what a user has changed since then.
LAST = {"name": "old", "price": "1", "unit": "pcs"}
# Here and in the package: name and price differ on both sides, unit only here.
DIFFERENCES = {
    "name": ["mine", "theirs"],
    "price": ["1", "2"],
    "unit": ["box", "pcs"],
    "weight": ["5", "6"],
}


def test_each_side_keeps_what_it_alone_has_changed():
    merged = merge(DIFFERENCES, LAST)
    assert merged.taken == {"price", "weight"}
    assert merged.conflicts == {"name": ["old", "mine", "theirs"]}


def test_a_package_that_wins_takes_the_conflicts_and_nothing_else():
    merged = merge(DIFFERENCES, LAST, package_wins=True)
    assert merged.taken == {"name", "price", "weight"}
    assert not merged.conflicts


@pytest.mark.parametrize("wins", [False, True])
def test_without_the_last_values_all_is_in_conflict(wins):
    merged = merge(DIFFERENCES, None, package_wins=wins)
    assert merged.taken == (DIFFERENCES.keys() if wins else set())
    assert len(merged.conflicts) == (0 if wins else 4)
