"""The check of a job's input against its processor when the job is saved, instead of at
its first run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from importer import Problem
from importer.targets import flatten
from platform_site.processing.processor import DataProcessor
from platform_site.processing.services import new_input


def wrong_input(processor: type[DataProcessor], data: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each value that is unknown or has a wrong type.

    The processor's own `validate` is called only when the job runs, since its result
    may change until then.
    """
    declared = processor.Input(data={**new_input(processor), **data})
    if declared.is_valid():
        return []
    labels = {name: str(field.label) for name, field in declared.fields.items()}
    return sentences(flatten(declared.errors), labels)


def sentences(
    problems: Iterable[Problem], labels: Mapping[str, str] | None = None
) -> list[str]:
    """Return problems as sentences, each with the label of its input, or its name."""
    names = labels or {}
    return [
        f"{names.get(each.path, each.path)}: {each.message}"
        if each.path
        else each.message
        for each in problems
    ]
