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
    return [] if declared.is_valid() else sentences(flatten(declared.errors))


def sentences(problems: Iterable[Problem]) -> list[str]:
    """Return problems as sentences, each with the name of its input."""
    return [
        f"{problem.path}: {problem.message}" if problem.path else problem.message
        for problem in problems
    ]
