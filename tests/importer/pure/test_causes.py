"""The causes of failures: equal refusals are one cause, and dependants are none."""

from __future__ import annotations

import sys

from importer.package.shapes import Owner, Problem, error
from importer.pipeline.causes import MOST_CAUSES, Causes


def taken(value, owner=None):
    return Problem("code", f"{value} is taken", "taken", value, owner)


def told(causes):
    return [
        (one.code, one.about, one.value, one.count, one.dependants)
        for one in causes.listed()
    ]


def test_equal_refusals_are_one_cause_with_a_count_and_the_first_place():
    causes = Causes()
    for number in range(300):
        path = f"lines[{number % 3}].quantity"
        problem = Problem(path, "must be a number", "not-a-number", "many")
        causes.refused(number, f"steps[0].items[{number}]", [problem, problem])
    (one,) = causes.listed()
    assert (one.count, one.about) == (300, "lines.quantity")
    assert one.first.path == "steps[0].items[0].lines[0].quantity"
    assert one.sentence.endswith("must be a number (in 300 objects)")


def test_another_code_property_value_or_owner_is_another_cause():
    causes = Causes()
    for number, problem in enumerate(
        [
            taken("a"),
            taken("b"),
            Problem("code", "too long", "too-long", "a"),
            Problem("name", "a is taken", "taken", "a"),
            taken("a", Owner("Items", 1, "a A")),
        ]
    ):
        causes.refused(number, "steps[0].items[0]", [problem])
    assert len(causes.listed()) == 5


def test_dependants_count_under_every_cause_behind_them():
    """OPEN-33: directly or indirectly, and never as a cause themselves."""
    causes = Causes()
    causes.refused(0, "steps[0].items[0]", [taken("USD")])
    causes.refused(1, "steps[1].items[0]", [taken("MAIN")])
    causes.depends(2, [1])
    causes.depends(3, [0, 1])
    causes.depends(4, [3])
    causes.depends(5, [0])
    causes.depends(6, [0])
    assert told(causes) == [
        ("taken", "code", "USD", 1, 4),
        ("taken", "code", "MAIN", 1, 3),
    ]


def test_causes_are_ordered_by_dependants_then_by_count():
    causes = Causes()
    causes.refused(0, "a", [taken("once")])
    causes.refused(1, "b", [taken("twice")])
    causes.refused(2, "c", [taken("twice")])
    causes.refused(3, "d", [taken("needed")])
    causes.depends(4, [3])
    causes.whole(error("$", "the licence allows fewer"))
    assert [one.value for one in causes.listed()] == [None, "needed", "twice", "once"]


def test_at_most_a_thousand_causes_are_kept():
    causes = Causes()
    for number in range(MOST_CAUSES + 5):
        causes.refused(number, "x", [taken(str(number))])
    causes.depends(MOST_CAUSES + 5, [MOST_CAUSES + 1])
    assert (len(causes.listed()), causes.left_out) == (MOST_CAUSES, 5)


def test_a_quarter_of_a_million_failures_take_little_memory():
    causes = Causes()
    causes.refused(0, "x", [taken("USD")])
    for number in range(1, 250_000):
        causes.depends(number, [number - 1])
    assert causes.listed()[0].dependants == 249_999
    assert len(causes._sets) == 2
    assert sys.getsizeof(causes._of) < 2_000_000
