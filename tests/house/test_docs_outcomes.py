"""The page of outcomes says what the decision function does, and nothing else."""

from __future__ import annotations

from importer.package.shapes import MISSING_OUTCOMES, Outcome
from tests.house.outcome_table import (
    ANY,
    MEANINGS,
    PAGE,
    QUESTIONS,
    combinations,
    decision_for,
    lines,
    missing_lines,
    render,
)

TABLE = list(lines())
MISSING = list(missing_lines())


def matching(answers):
    return [
        line
        for line in TABLE
        if all(line[name] in (ANY, answers[name]) for name in QUESTIONS)
    ]


def test_the_page_is_current():
    again = "Run `python -m tests.house.outcome_table` to write it anew."
    assert PAGE.read_text(encoding="utf-8") == render(), again


def test_every_situation_is_in_one_line_with_its_decision():
    for answers in combinations({}):
        decisions = [line["decision"] for line in matching(answers)]
        assert decisions == [decision_for(answers)], answers


def test_every_outcome_is_explained_and_all_but_a_failure_are_in_the_table():
    """IMP-125."""
    assert set(MEANINGS) == set(Outcome)
    decided = {line["decision"].outcome for line in TABLE}
    assert decided == set(Outcome) - {Outcome.FAILED, *MISSING_OUTCOMES}
    assert {*MISSING_OUTCOMES} <= {cell.strip("`") for row in MISSING for cell in row}
