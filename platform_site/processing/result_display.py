"""The display of results: numbers, texts and tables with labels, and the link to the
report of an import. The page of a processor and the history of jobs use it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils.formats import number_format
from rest_framework import serializers

from importer.services import run_links
from platform_site.changes.labels import in_words
from platform_site.files.services import readable_file
from platform_site.processing.registry import known_processor
from platform_site.processing.values import FileField, RunField, Values


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A list of values: its non-empty columns, and the number of rows left out."""

    label: str
    columns: list[str]
    rows: list[list[str]]
    further: int


@dataclass(slots=True)
class ShownResult:
    """The displayed parts of a result; `report` is a URL, and files have one each."""

    numbers: list[tuple[str, str]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    tables: list[ShownTable] = field(default_factory=list)
    files: list[tuple[str, str, str]] = field(default_factory=list)
    report: str = ""

    @property
    def in_one_line(self) -> str:
        """Return numbers and texts in one line, for lists."""
        pairs = (f"{label}: {value}" for label, value in (*self.numbers, *self.texts))
        return ", ".join(pairs)


def shown(name: str, result: Mapping[str, Any], reader: Any = None) -> ShownResult:
    """Return a processor's result for `reader`; without one, without report.

    For a removed processor the wire names are used as labels.
    """
    known = known_processor(name)
    declared = Values() if known is None else known.Result()
    hidden = {*declared.hidden, *declared.beyond.values()}
    wires = {each.source: wire for wire, each in declared.fields.items()}
    seen = ShownResult()
    for wire, value in result.items():
        what = declared.fields.get(wire)
        if value in (None, "", []) or (what is not None and what.source in hidden):
            continue
        label = wire if what is None else str(what.label)
        if isinstance(what, RunField):
            seen.report = _report(value, reader)
        elif isinstance(what, FileField):
            seen.files += _file(label, value, reader)
        elif isinstance(value, list):
            beyond = "" if what is None else declared.beyond.get(str(what.source), "")
            further = int(result.get(wires.get(beyond, ""), 0))
            seen.tables.append(_table(label, what, value, further))
        elif isinstance(value, int) and not isinstance(value, bool):
            seen.numbers.append((label, number_format(value, force_grouping=True)))
        else:
            seen.texts.append((label, in_words(value)))
    return seen


def is_without_changes(name: str, result: Mapping[str, Any]) -> bool:
    """Return whether the result of a processor says that nothing has changed.

    A result that says nothing doesn't say this either.
    """
    known = known_processor(name)
    telling = () if known is None else known.Result.changes
    if known is not None and telling:
        wires = {str(f.source): wire for wire, f in known.Result().fields.items()}
        return not any(result.get(wires[each]) for each in telling)
    return bool(result) and not any(result.values())


def _report(value: Any, reader: Any) -> str:
    if reader is None:
        return ""
    return "".join(run_links(reader, [uuid.UUID(str(value))]).values())


def _file(label: str, value: Any, reader: Any) -> list[tuple[str, str, str]]:
    """Return the label, the name and the URL of a file that a reader may read."""
    if reader is None:
        return []
    file = readable_file(key=uuid.UUID(str(value)), user=reader)
    if file is None:  # or it was removed because nothing refers to it
        return []
    return [(label, file.name, reverse("stored-file", args=[file.pk]))]


def _table(label: str, what: Any, values: list[Any], further: int) -> ShownTable:
    rows = [one if isinstance(one, dict) else {"": one} for one in values]
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if any(row.get(name) not in (None, "") for row in rows)
    ]
    child = what.child if isinstance(what, serializers.ListSerializer) else None
    fields = child.fields if isinstance(child, Values) else {}
    return ShownTable(
        label,
        [str(fields[name].label) if name in fields else name for name in names],
        [[_text(row.get(name)) for name in names] for row in rows],
        further,
    )


def _text(value: Any) -> str:
    # Without thousands separators, since it may be a line number or a code.
    return "" if value is None else in_words(value)
