"""A window over an example table, with the overlay of the run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from importer.pipeline.overlay import Overlay
from importer.pipeline.window import Window


class Table:
    """A table in a dictionary, which counts the queries."""

    def __init__(self, *rows):
        self.stored = {row.id: row for row in rows}
        self.queries = []

    def live(self, name, values):
        self.queries.append(("live", name, list(values)))
        found = [
            (getattr(r, name), r.id) for r in self.stored.values() if not r.deleted
        ]
        return [pair for pair in found if pair[0] in values]

    def rows(self, row_ids):
        self.queries.append(("rows", list(row_ids)))
        return {i: self.stored[i] for i in row_ids if i in self.stored}

    def adoptable(self, names, columns, packages):
        self.queries.append(("adoptable", list(names), [list(c) for c in columns]))
        found = [
            (tuple(getattr(r, name) for name in names), r.id)
            for r in self.stored.values()
            if not r.marked
        ]
        wanted = [set(column) for column in columns]
        return [
            (values, row_id)
            for values, row_id in found
            if all(v in c for v, c in zip(values, wanted, strict=True))
        ]

    def chain(self, row):
        return row.parent


def a_row(number, code, *, parent=None, name="n", deleted=False, marked=False):
    return SimpleNamespace(
        id=number, code=code, parent=parent, name=name, deleted=deleted, marked=marked
    )


@pytest.fixture
def table():
    return Table(
        a_row(1, "A"),
        a_row(2, "B", parent=1),
        a_row(3, "C", parent=2),
        a_row(4, "D", deleted=True, marked=True),
    )


@pytest.fixture
def overlay():
    return Overlay()


@pytest.fixture
def window(table, overlay):
    return Window({"T": table}, overlay)


def test_loaded_rows_are_not_queried_again(window, table):
    window.load_live("T", "code", ["A", "B", "A", "Z"])
    window.load_live("T", "code", ["A", "Z"])
    assert table.queries == [("live", "code", ["A", "B", "Z"])]
    assert window.holders("T", "code", "A") == [1]
    assert window.holders("T", "code", "Z") == []


def test_a_missing_row_takes_no_query(window, table):
    assert window.row("T", 1) is None
    assert window.holders("T", "code", "A") == []
    assert window.candidates("T", ("A",)) == []
    assert table.queries == []


def test_a_planned_row_takes_no_query(window, table):
    window.load_rows("T", [-5, 2, 2])
    assert table.queries == [("rows", [2])]


def test_a_changed_code_replaces_the_old_one(window, overlay):
    window.load_live("T", "code", ["A", "B"])
    changed = a_row(1, "NEW")
    overlay.note("T", 1, [("code", "NEW")], existed=True, row=changed)
    assert window.holders("T", "code", "A") == []
    assert window.holders("T", "code", "NEW") == [1]
    assert window.holders("T", "code", "B") == [2]
    assert window.row("T", 1) is changed


def test_a_code_can_pass_from_one_row_to_another(window, overlay):
    window.load_live("T", "code", ["A", "B"])
    overlay.note("T", 2, [("code", "X")], existed=True, row=None)
    overlay.note("T", -1, [("code", "B")], existed=False, row=None)
    assert window.holders("T", "code", "B") == [-1]


def test_an_empty_value_has_no_holders(window, overlay):
    overlay.note("T", 9, [("code", ""), ("role", None)], existed=False, row=None)
    assert window.holders("T", "code", "") == []
    assert window.holders("T", "role", None) == []


def test_a_row_is_adopted_once(window, overlay):
    window.load_adoptable("T", ["name"], [("n",)])
    assert window.candidates("T", ("n",)) == [1, 2, 3]
    overlay.note("T", 2, [], existed=True, row=None)
    assert window.candidates("T", ("n",)) == [1, 3]


def test_rows_match_in_all_properties_together(window, table):
    table.stored[1].name = "one"
    window.load_adoptable("T", ["code", "name"], [("A", "n"), ("B", "one")])
    assert window.candidates("T", ("A", "n")) == []
    assert window.candidates("T", ("B", "one")) == []
    assert window.has_loaded(("A", "n"))
    assert not window.has_loaded(("A", "one"))


def test_ancestors_take_one_query_per_level(window, table):
    window.load_chains("T", [3])
    assert [window.row("T", n).code for n in (1, 2, 3)] == ["A", "B", "C"]
    assert table.queries == [("rows", [3]), ("rows", [2]), ("rows", [1])]


def test_ancestors_include_the_changes_of_the_run(window, table, overlay):
    overlay.note("T", 3, [], existed=True, row=a_row(3, "C", parent=-1))
    overlay.note("T", -1, [], existed=False, row=a_row(-1, "P", parent=1))
    window.load_chains("T", [3])
    assert window.row("T", 1).code == "A"
    assert window.row("T", 2) is None


def test_a_circle_in_the_table_ends_the_traversal(window, table):
    table.stored[1].parent = 3
    window.load_chains("T", [3])
    assert window.row("T", 1).parent == 3


def test_a_real_run_clears_the_overlay_after_each_window(overlay):
    overlay.note("T", 1, [("code", "A")], existed=True, row=a_row(1, "A"))
    overlay.note("T", 2, [("code", "B")], existed=False, row=a_row(2, "B"))
    assert overlay.changed
    assert overlay.is_new("T", 2)
    overlay.clear()
    assert not overlay.changed
    assert overlay.row("T", 1) is None
    assert overlay.holders("T", "code", "A", [7]) == [7]
    assert not overlay.claimed("T", 1)
    assert not overlay.is_new("T", 2)
