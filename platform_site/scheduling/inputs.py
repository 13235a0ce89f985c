"""The input of a job held against what its processor declares, when the job is saved:
what does not fit would otherwise be found at night."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from importer import Problem
from importer.targets import flatten
from platform_site.processing.processor import DataProcessor
from platform_site.processing.services import new_input


def wrong_input(processor: type[DataProcessor], data: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each value that is unknown or of the wrong kind.

    The processor's own `validate` is asked only when the job runs: what it looks at may
    be different by then.
    """
    declared = processor.Input(data={**new_input(processor), **data})
    return [] if declared.is_valid() else sentences(flatten(declared.errors))


def sentences(problems: Iterable[Problem]) -> list[str]:
    """Return problems as sentences, each after the name of its input if it has one."""
    return [
        f"{problem.path}: {problem.message}" if problem.path else problem.message
        for problem in problems
    ]
