"""The registry in which apps register targets, step kinds, checks and hooks.

Every installed app may have a module ``importing.py``, found as Django finds
``admin.py``, that calls the functions below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol
from uuid import UUID

from django.db import models

from importer import conf
from importer.hooks import (
    Changes,
    ChangeWords,
    LabelledChanges,
    LanguageOf,
    MayImport,
    Outcomes,
    OutcomesOf,
    Repeats,
    RowLink,
    RunContext,
    RunLink,
    SourceHooks,
    StartedVia,
    StarterOf,
    Surrounding,
    ZoneOf,
)
from importer.models import ImportRun
from importer.package.package_format import PackageFormat
from importer.package.step_kinds import DICTIONARY, StepKind
from importer.pipeline.ports import Target
from importer.pipeline.survey import PackageCheck, Survey
from importer.revertible import History, RevertibleRow

__all__ = [
    "Changes",
    "History",
    "LabelledChanges",
    "ModelTarget",
    "Outcomes",
    "PackageCheck",
    "RevertibleRow",
    "RunContext",
    "SourceHooks",
    "StepKind",
    "Survey",
    "may_import",
    "register_change_words",
    "register_changes_link",
    "register_check",
    "register_history",
    "register_language",
    "register_may_import",
    "register_outcomes",
    "register_repeats",
    "register_row_link",
    "register_source_hooks",
    "register_started_via",
    "register_starter",
    "register_step_kind",
    "register_surrounding",
    "register_target",
    "register_zone",
    "target_name",
]


class ModelTarget(Target, Protocol):
    """A target that writes the rows of one model."""

    @property
    def name(self) -> str:
        """Return the wire name of the target."""

    @property
    def model(self) -> type[models.Model]:
        """Return the model whose rows it reads and writes."""


_targets: dict[str, ModelTarget] = {}
_checks: list[PackageCheck] = []
_kinds: dict[str, StepKind] = {DICTIONARY.key: DICTIONARY}
_hooks: dict[str, Any] = {
    "surrounding": lambda run: nullcontext(),
    "zone": lambda user: "",
    "language": lambda user: "",
    "may_import": lambda user: user.is_active and user.is_superuser,
    "row_link": lambda model, row_id, user: "",
    "sources": SourceHooks(),
    "changes_link": lambda run_id, user: "",
    "change_words": None,
    "outcomes_of": None,
    "history": None,
    "started_via": lambda: "",
    "repeats": lambda view, request, work: work(),
}
_made: dict[str, PackageFormat] = {}


def register_target(target: ModelTarget) -> None:
    """Register a target under its name; raise ValueError if the name is taken."""
    if target.name in _targets:
        raise ValueError(f"There is an import target {target.name} already.")
    _targets[target.name] = target
    _made.clear()


def register_step_kind(kind: StepKind) -> None:
    """Register a step kind under its key."""
    _kinds[kind.key] = kind
    _made.clear()


def register_check(check: PackageCheck) -> None:
    """Register a check of whole packages, called before the first write."""
    _checks.append(check)


def checks() -> tuple[PackageCheck, ...]:
    """Return all checks of whole packages."""
    return tuple(_checks)


def register_surrounding(make: Surrounding) -> None:
    """Register a context manager around every run, in the thread that runs it."""
    _hooks["surrounding"] = make


def register_zone(zone_of: ZoneOf) -> None:
    """Register a function that returns a user's time zone, ``""`` for none."""
    _hooks["zone"] = zone_of


def register_language(language_of: LanguageOf) -> None:
    """Register a function that returns a user's language, ``""`` if unknown."""
    _hooks["language"] = language_of


def register_may_import(check: MayImport) -> None:
    """Register who may use the endpoints; without it active superusers may."""
    _hooks["may_import"] = check


def register_row_link(link: RowLink) -> None:
    """Register a function that returns the URL of a row, ``""`` for none."""
    _hooks["row_link"] = link


def register_source_hooks(hooks: SourceHooks) -> None:
    """Register what a project adds to saved sources of tables."""
    _hooks["sources"] = hooks


def register_changes_link(link: RunLink) -> None:
    """Register a function that returns the URL of a run's change events, ``""`` for
    none."""
    _hooks["changes_link"] = link


def register_change_words(label: ChangeWords) -> None:
    """Register a function that returns the labels of changed properties and values;
    without it reports show the wire form."""
    _hooks["change_words"] = label


def register_outcomes(outcomes_of: OutcomesOf) -> None:
    """Register a function that returns the outcomes of rows for a run whose process
    died; marks alone only tell which rows it wrote."""
    _hooks["outcomes_of"] = outcomes_of


def register_history(history: History) -> None:
    """Register the recorded changes of runs; without them runs can't be undone."""
    _hooks["history"] = history


def register_started_via(started_via: StartedVia) -> None:
    """Register a function that returns the `StartedVia` of runs started by code, ``""``
    for none; a key of what starts them may follow, after a colon."""
    _hooks["started_via"] = started_via


def register_starter(started_via: str, starter_of: StarterOf) -> None:
    """Register what returns the name and URL of a starter, by its key, for a user."""
    _hooks[f"starter {started_via}"] = starter_of


def register_repeats(answer: Repeats) -> None:
    """Register the handling of requests to start a run that may be repeated."""
    _hooks["repeats"] = answer


def surrounding(run: RunContext) -> AbstractContextManager[Any]:
    """Return the context manager around a run."""
    context: AbstractContextManager[Any] = _hooks["surrounding"](run)
    return context


def zone_of(user: Any) -> str:
    """Return the name of a user's time zone, an empty text if there is none."""
    return str(_hooks["zone"](user) or "")


def language_of(user: Any) -> str:
    """Return the code of a user's language, an empty text if unknown."""
    return str(_hooks["language"](user) or "")


def may_import(user: Any) -> bool:
    """Return whether a user may start imports and read their reports (IMP-251)."""
    return bool(_hooks["may_import"](user))


def row_link(target: str, row_id: int | str, user: Any) -> str:
    """Return the URL of a target's row for a user, an empty text if there is none."""
    found = _targets.get(target)
    return "" if found is None else str(_hooks["row_link"](found.model, row_id, user))


def source_hooks() -> SourceHooks:
    """Return what the project adds to saved sources of tables."""
    hooks: SourceHooks = _hooks["sources"]
    return hooks


def changes_link(run_id: UUID, user: Any) -> str:
    """Return the URL of a run's change events for a user, an empty text if there is
    none."""
    return str(_hooks["changes_link"](run_id, user))


def change_words(
    target: str, changes: Sequence[Changes]
) -> Sequence[LabelledChanges] | None:
    """Return the labelled changes of a target's rows, None if there are no labels."""
    found, label = _targets.get(target), _hooks["change_words"]
    if found is None or label is None:
        return None
    labelled: Sequence[LabelledChanges] = label(found.model, changes)
    return labelled


def outcomes_of(run_id: UUID) -> Outcomes | None:
    """Return the outcomes of a run's rows, None if they aren't recorded."""
    find: OutcomesOf | None = _hooks["outcomes_of"]
    return None if find is None else find(run_id)


def history() -> History | None:
    """Return the recorded changes of runs, None if a project records none."""
    found: History | None = _hooks["history"]
    return found


def started_via() -> str:
    """Return how a run was started if its caller doesn't say."""
    return str(_hooks["started_via"]() or ImportRun.StartedVia.CODE)


def starter_of(run: ImportRun, user: Any) -> tuple[str, str]:
    """Return the name and the URL of what started a run, empty texts if there is
    none."""
    find = _hooks.get(f"starter {run.started_via}") if run.starter else None
    return (run.starter, "") if find is None else find(run.starter, user)


def repeats(view: Any, request: Any, work: Callable[[], Any]) -> Any:
    """Handle a request to start a run, first or repeated."""
    return _hooks["repeats"](view, request, work)


def targets() -> Mapping[str, ModelTarget]:
    """Return all targets by name."""
    return _targets


def target_name(model: type[models.Model]) -> str:
    """Return the name of a model's target; raise LookupError if it has none."""
    for name, target in _targets.items():
        if target.model is model:
            return name
    raise LookupError(f"{model._meta.label} is no import target.")


def package_format() -> PackageFormat:
    """Return the package format, created once all apps have registered."""
    configuration = conf.configuration()
    if configuration not in _made:
        specs = [target.spec for target in _targets.values()]
        _made[configuration] = PackageFormat(configuration, _kinds.values(), specs)
    return _made[configuration]
