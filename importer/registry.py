"""What other apps tell the importer: targets, step kinds, and answers to its questions.

Every installed app may have a module ``importing.py``, found as Django finds
``admin.py``, that calls the functions below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol
from uuid import UUID

import msgspec
from django.db import models

from importer import conf
from importer.models import ImportRun
from importer.package.package_format import PackageFormat
from importer.package.shapes import Origin, Outcome
from importer.package.step_kinds import DICTIONARY, StepKind
from importer.pipeline.ports import Target
from importer.pipeline.survey import PackageCheck, Survey

__all__ = [
    "Changes",
    "ModelTarget",
    "Outcomes",
    "PackageCheck",
    "RunContext",
    "StepKind",
    "Survey",
    "Told",
    "may_import",
    "register_change_words",
    "register_changes_link",
    "register_check",
    "register_language",
    "register_may_import",
    "register_outcomes",
    "register_repeats",
    "register_row_link",
    "register_started_via",
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
        """Return the name of the target on the wire."""

    @property
    def model(self) -> type[models.Model]:
        """Return the model whose rows it reads and writes."""


class RunContext(msgspec.Struct, frozen=True):
    """Who runs what, for the surrounding of a run."""

    run_id: UUID
    user: Any
    origin: Origin
    package: str
    dry_run: bool


Surrounding = Callable[[RunContext], AbstractContextManager[Any]]
ZoneOf = Callable[[Any], str]
LanguageOf = Callable[[Any], str]
MayImport = Callable[[Any], bool]
RowLink = Callable[[type[models.Model], Any, Any], str]
RunLink = Callable[[UUID, Any], str]
Outcomes = Mapping[tuple[str, int], Outcome]
"""What a run did to rows, each by the name of its target and its key."""
OutcomesOf = Callable[[UUID], Outcomes]
Changes = Mapping[str, Sequence[Any]]
"""What changed in a row: each property of the wire with its values before and after."""
Told = Sequence[tuple[str, str, str]]
"""The same as people read it: what a property is called, and both values."""
ChangeWords = Callable[[type[models.Model], Sequence[Changes]], Sequence[Told]]
StartedVia = Callable[[], str]
Repeats = Callable[[Any, Any, Callable[[], Any]], Any]
"""What answers a request to start a run by its view, itself and the work to do."""

_targets: dict[str, ModelTarget] = {}
_checks: list[PackageCheck] = []
_kinds: dict[str, StepKind] = {DICTIONARY.key: DICTIONARY}
_hooks: dict[str, Any] = {
    "surrounding": lambda run: nullcontext(),
    "zone": lambda user: "",
    "language": lambda user: "",
    "may_import": lambda user: user.is_active and user.is_superuser,
    "row_link": lambda model, row_id, user: "",
    "changes_link": lambda run_id, user: "",
    "change_words": None,
    "outcomes_of": None,
    "started_via": lambda: "",
    "repeats": lambda view, request, work: work(),
}
_made: dict[str, PackageFormat] = {}


def register_target(target: ModelTarget) -> None:
    """Make a target known under its name; raise ValueError if the name is taken."""
    if target.name in _targets:
        raise ValueError(f"There is an import target {target.name} already.")
    _targets[target.name] = target
    _made.clear()


def register_step_kind(kind: StepKind) -> None:
    """Make a step kind known by its key."""
    _kinds[kind.key] = kind
    _made.clear()


def register_check(check: PackageCheck) -> None:
    """Let a check judge every package, as a whole and before its first write."""
    _checks.append(check)


def checks() -> tuple[PackageCheck, ...]:
    """Return every check of whole packages."""
    return tuple(_checks)


def register_surrounding(make: Surrounding) -> None:
    """Open a context round every run, in the thread that runs it."""
    _hooks["surrounding"] = make


def register_zone(zone_of: ZoneOf) -> None:
    """Say how a user's own time zone is found; ``""`` means there is none."""
    _hooks["zone"] = zone_of


def register_language(language_of: LanguageOf) -> None:
    """Say which language a user reads; ``""`` means that nothing is known."""
    _hooks["language"] = language_of


def register_may_import(check: MayImport) -> None:
    """Say who may use the endpoints; without this every active superuser may."""
    _hooks["may_import"] = check


def register_row_link(link: RowLink) -> None:
    """Say where a user finds a row of a model; ``""`` means nowhere."""
    _hooks["row_link"] = link


def register_changes_link(link: RunLink) -> None:
    """Say where a user finds the change events of a run; ``""`` means nowhere."""
    _hooks["changes_link"] = link


def register_change_words(tell: ChangeWords) -> None:
    """Say what people call properties and values of a model; else it is as on the wire."""
    _hooks["change_words"] = tell


def register_outcomes(outcomes_of: OutcomesOf) -> None:
    """Say what a run did to which rows, for one whose process died; marks alone tell
    which rows it wrote, but not what became of them."""
    _hooks["outcomes_of"] = outcomes_of


def register_started_via(started_via: StartedVia) -> None:
    """Say by which ``ImportRun.StartedVia`` a run of program code comes; ``""``: by none else."""
    _hooks["started_via"] = started_via


def register_repeats(answer: Repeats) -> None:
    """Say how a request to start a run is answered that may have come before."""
    _hooks["repeats"] = answer


def surrounding(run: RunContext) -> AbstractContextManager[Any]:
    """Return the context to open round a run."""
    context: AbstractContextManager[Any] = _hooks["surrounding"](run)
    return context


def zone_of(user: Any) -> str:
    """Return the name of a user's time zone, or an empty text."""
    return str(_hooks["zone"](user) or "")


def language_of(user: Any) -> str:
    """Return the code of the language a user wants to read, or an empty text."""
    return str(_hooks["language"](user) or "")


def may_import(user: Any) -> bool:
    """Return whether a user may start imports and read their reports (IMP-251)."""
    return bool(_hooks["may_import"](user))


def row_link(target: str, row_id: int | str, user: Any) -> str:
    """Return the address of a target's row for a user, or an empty text."""
    found = _targets.get(target)
    return "" if found is None else str(_hooks["row_link"](found.model, row_id, user))


def changes_link(run_id: UUID, user: Any) -> str:
    """Return the address of a run's change events for a user, or an empty text."""
    return str(_hooks["changes_link"](run_id, user))


def change_words(target: str, changes: Sequence[Changes]) -> Sequence[Told] | None:
    """Return what changed in rows of a target in words, None if nobody knows them."""
    found, tell = _targets.get(target), _hooks["change_words"]
    if found is None or tell is None:
        return None
    told: Sequence[Told] = tell(found.model, changes)
    return told


def outcomes_of(run_id: UUID) -> Outcomes | None:
    """Return what a run did to rows, None if nobody keeps a record of it."""
    find: OutcomesOf | None = _hooks["outcomes_of"]
    return None if find is None else find(run_id)


def started_via() -> str:
    """Return how a run is started whose caller doesn't say."""
    return str(_hooks["started_via"]() or ImportRun.StartedVia.CODE)


def repeats(view: Any, request: Any, work: Callable[[], Any]) -> Any:
    """Answer a request to start a run, whether it is the first of its kind or not."""
    return _hooks["repeats"](view, request, work)


def targets() -> Mapping[str, ModelTarget]:
    """Return every target by its name."""
    return _targets


def target_name(model: type[models.Model]) -> str:
    """Return the name of a model's target; raise LookupError if it has none."""
    for name, target in _targets.items():
        if target.model is model:
            return name
    raise LookupError(f"{model._meta.label} is no import target.")


def package_format() -> PackageFormat:
    """Return the description of all packages, made once all apps have registered."""
    configuration = conf.configuration()
    if configuration not in _made:
        specs = [target.spec for target in _targets.values()]
        _made[configuration] = PackageFormat(configuration, _kinds.values(), specs)
    return _made[configuration]
