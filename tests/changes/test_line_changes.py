"""Which lines of a row were added, removed or changed."""

from __future__ import annotations

import pytest

from platform_site.changes.line_changes import line_changes


def lines(*names):
    return [{"item": name} for name in names]


def found(before, after):
    def name(line):
        return None if line is None else line["item"]

    return [(n, name(b), name(a)) for n, b, a in line_changes(before, after)]


def test_a_changed_line_has_both_values():
    assert found(lines("a", "b"), lines("a", "c")) == [(2, "b", "c")]


def test_a_line_added_in_front_moves_the_others_without_changing_them():
    assert found(lines("a", "b"), lines("new", "a", "b")) == [(1, None, "new")]


def test_a_removed_line_has_the_number_that_it_had():
    assert found(lines("a", "b", "c"), lines("a", "c")) == [(2, "b", None)]


def test_lines_of_a_new_row_are_all_added():
    assert found([], lines("a", "b")) == [(1, None, "a"), (2, None, "b")]


def test_the_order_of_the_keys_of_a_line_is_no_change():
    before, after = [{"a": 1, "b": 2}], [{"b": 2, "a": 1}]
    assert list(line_changes(before, after)) == []


@pytest.mark.parametrize("more", [0, 1, -1])
def test_very_many_lines_are_compared_by_their_position(more):
    before = lines(*map(str, range(600)))
    after = [*before[: 600 + min(more, 0)], *lines("new")[: max(more, 0)]]
    after[3] = {"item": "changed"}
    changed = [(4, "3", "changed")]
    changed += [(601, None, "new")] if more > 0 else []
    changed += [(600, "599", None)] if more < 0 else []
    assert found(before, after) == changed
