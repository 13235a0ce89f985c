"""The parts that a row's page shows above its details: states, figures and related
rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

# How a state reads at a glance; its text says the same.
Tone = Literal["good", "warn", "bad", "quiet", ""]


@dataclass(frozen=True, slots=True)
class Pill:
    """A state of a row in one or two words, such as *posted* or *3 days late*."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that people open a row for, such as the stock of an item."""

    label: str
    # Formatted for the reader, with its unit.
    value: str
    # The list or report that shows where the number comes from.
    link: str = ""
    note: str = ""
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Related:
    """Rows that refer to this one, or that it refers to, as a short table."""

    title: str
    headings: Sequence[str]
    # Each a link to the row, and the cells in the order of the headings.
    rows: Sequence[tuple[str, Sequence[Any]]]
    # The list of all of them, if the rows are only the first.
    link: str = ""
