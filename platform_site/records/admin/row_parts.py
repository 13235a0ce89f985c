"""The parts of a row's pages: states, figures, buttons and related rows, and the
registry of those that another app adds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import models
from django.http import HttpRequest

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
class RelatedRows:
    """Rows that refer to this one, or that it refers to, as a short table."""

    title: str
    headings: Sequence[str]
    # Each a link to the row, and the cells in the order of the headings.
    rows: Sequence[tuple[str, Sequence[Any]]]
    # The list of all of them, if the rows are only the first.
    link: str = ""
    # The places of the columns with numbers.
    numeric: Collection[int] = ()

    @property
    def labelled_rows(self) -> list[tuple[str, list[tuple[str, Any, bool]]]]:
        """Return each row's link, and its cells with their headings and whether they
        are numbers."""
        numbers = [place in self.numeric for place in range(len(self.headings))]
        return [
            (link, [*zip(self.headings, cells, numbers, strict=True)])
            for link, cells in self.rows
        ]


@dataclass(frozen=True, slots=True)
class RowAction:
    """A button of the toolbar: a link, or a form that is sent with its values."""

    label: str
    url: str
    icon: str = ""
    # The hidden values of a form, such as the version; None for a link.
    values: Mapping[str, Any] | None = None
    is_primary: bool = False


class RowParts:
    """What another app shows on the pages of a model's rows.

    Such an app stands above that of the model, so that it registers its parts here. It
    shows only what the reader may see.
    """

    def pills(self, request: HttpRequest, row: Any) -> Sequence[Pill]:
        """Return further states."""
        return ()

    def figures(self, request: HttpRequest, row: Any) -> Sequence[Figure]:
        """Return further figures, which follow those of the model's own page."""
        return ()

    def related(self, request: HttpRequest, row: Any) -> Sequence[RelatedRows]:
        """Return further related rows, which come first."""
        return ()


_registered: dict[type[models.Model], list[RowParts]] = {}


def register_row_parts(model: type[models.Model], parts: RowParts) -> None:
    """Add the parts of another app to the pages of a model's rows."""
    _registered.setdefault(model, []).append(parts)


def row_parts_of(model: type[models.Model]) -> Sequence[RowParts]:
    """Return the parts that other apps registered for a model."""
    return _registered.get(model, ())
