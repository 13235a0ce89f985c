"""The values that travel between stations: header, step, mark, outcome, result.

All are immutable; those made per object are ``msgspec.Struct``, at a tenth of the cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from importer.package.fields import FieldSpec
from importer.package.printable_text import LONGEST_VALUE, cut, printable
from importer.package.translation import ngettext

FORMAT = "platform-import/1"
MAX_VERSION = 2147483647
MOST_PROBLEMS = 20
# The codes of what counts others, of what only the database saw, and of the licence.
MORE, BY_DATABASE, LIMIT_REACHED = "more-errors", "database", "limit-reached"
_LONGEST_PATH = 300
_LONGEST_MESSAGE = 1000


class Origin(StrEnum):
    """Where a package comes from, as its header spells it (IMP-051)."""

    IMPORT = "import"
    DEMO_SEED = "demoSeed"

    @property
    def stored(self) -> str:
        """Return the spelling of the mark column (IMP-114)."""
        return "Import" if self is Origin.IMPORT else "DemoSeed"


class Outcome(StrEnum):
    """What happened to one object (IMP-125)."""

    INSERTED = "Inserted"
    UNCHANGED = "Unchanged"
    UPDATED = "Updated"
    ADOPTED = "Adopted"
    RESTORED = "Restored"
    SKIPPED_USER_MODIFIED = "SkippedUserModified"
    SKIPPED_DRIFT = "SkippedDrift"
    SKIPPED_DELETED = "SkippedDeleted"
    FAILED = "Failed"


class Severity(StrEnum):
    """The grade of a diagnostic; only an error counts for ``hasErrors`` (OPEN-40)."""

    ERROR = "Error"
    WARNING = "Warning"
    INFO = "Info"


class OnChange(StrEnum):
    """What a changed object does to its row."""

    UPDATE = "update"
    SKIP = "skip"


class OnUserModified(StrEnum):
    """What happens to a row that a user changed after its import (OPEN-12)."""

    SKIP = "skip"
    OVERWRITE = "overwrite"


class OnDeleted(StrEnum):
    """What happens to a row that a user deleted (OPEN-12)."""

    SKIP = "skip"
    RESTORE = "restore"


class Execute(StrEnum):
    """How often an object that describes an execution is executed."""

    ONCE = "once"
    ALWAYS = "always"


class Policy(msgspec.Struct, frozen=True):
    """The policies of a step; ``execute`` is None where its objects execute nothing."""

    on_change: OnChange = OnChange.UPDATE
    on_user_modified: OnUserModified = OnUserModified.SKIP
    on_deleted: OnDeleted = OnDeleted.SKIP
    execute: Execute | None = None


class Header(msgspec.Struct, frozen=True):
    """The header of a package that passed the check."""

    package: str
    version: int
    origin: Origin
    configuration: str


def header_of(keys: Mapping[str, Any]) -> Header:
    """Return the header in the keys of a package that passed the check."""
    return Header(
        package=keys["package"],
        version=keys["version"],
        origin=Origin(keys["origin"]),
        configuration=keys["configuration"],
    )


class Step(msgspec.Struct, frozen=True):
    """One step of a package that passed the check, without its items.

    ``fields`` is what its objects may give, ``source`` the target they are created
    from, ``submit`` asks for rows that are more than saved.
    """

    index: int
    kind: str
    target: str
    policy: Policy
    fields: tuple[FieldSpec, ...]
    match: tuple[str, ...] = ()
    source: str = ""
    submit: bool = False


class Mark(msgspec.Struct, frozen=True):
    """What a row remembers of the object it came from (IMP-113 to IMP-117)."""

    origin: str
    source: str
    key: str
    source_hash: str


class Diagnostic(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something said about the package; an error's message begins with its path.

    ``code`` is what kind of error it is; reports give it in their problems.
    """

    severity: Severity
    path: str
    message: str
    code: str = ""


class ItemResult(msgspec.Struct, frozen=True, array_like=True):
    """What happened to one object (OPEN-37); stored as an array, to be small.

    Step and index are None if the process died before it recorded them.
    """

    id: str
    step: int | None
    index: int | None
    target: str
    outcome: Outcome
    message: str
    row_id: int | str | None
    changes: dict[str, list[Any]] | None
    differences: dict[str, list[Any]] | None = None

    def wire(self) -> dict[str, Any]:
        """Return the entry as a report shows it."""
        return {
            "id": self.id,
            "step": self.step,
            "index": self.index,
            "target": self.target,
            "outcome": self.outcome.value,
            "message": self.message,
            "rowId": self.row_id,
            "changes": self.changes,
            "differences": self.differences,
        }


class Owner(msgspec.Struct, frozen=True, rename="camel"):
    """The row that stands in the way of an object; unmarked, it has no package.

    A row that is only planned has no ``row_id``.
    """

    model: str
    row_id: int | str | None
    name: str
    package: str | None = None
    key: str | None = None


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong at a path inside one object (``""`` is the object).

    ``code`` says what kind it is, in no language: ``taken``, ``required``. ``value`` is
    what was refused, as a text; ``owner`` the row that stands in the way; ``remedy`` a
    sentence on what to do. Equal causes have the same code, property and value.
    """

    path: str
    message: str
    code: str = "invalid"
    value: str | None = None
    owner: Owner | None = None
    remedy: str = ""


class Problems(list[Problem]):
    """What is wrong with one object: the first problems in full, the others counted."""

    more = 0

    @property
    def room(self) -> int:
        """How many problems are still told in full."""
        return max(0, MOST_PROBLEMS - len(self))

    def append(self, problem: Problem) -> None:
        """Add a problem, cut to what a message can bear."""
        if not self.room:
            self.more += 1
            return
        bounded = {
            "path": cut(problem.path, _LONGEST_PATH),
            "message": cut(problem.message, _LONGEST_MESSAGE),
            "value": problem.value and cut(problem.value, LONGEST_VALUE),
        }
        super().append(msgspec.structs.replace(problem, **bounded))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems, those that others have only counted as well."""
        for problem in problems:
            self.append(problem)
        if isinstance(problems, Problems):
            self.more += problems.more

    def told(self) -> tuple[Problem, ...]:
        """Return the problems in full and a sentence on the number of the others."""
        if not self.more:
            return tuple(self)
        message = ngettext(
            "%(count)s further error of this object is not listed",
            "%(count)s further errors of this object are not listed",
            self.more,
        )
        return (*self, Problem("", message, MORE))


class ObjectError(Exception):
    """The refusal of one object, with everything that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = Problems()
        found.extend(problems)
        self.problems = found.told()
        super().__init__("; ".join(p.message for p in self.problems))


class Refusal(ObjectError):
    """A refusal of one object by the services."""


class NotAllowed(Refusal):
    """The refusal of a user without a right (IMP-029), which is named if it is only one."""

    def __init__(self, problems: Iterable[Problem], right: str | None = None) -> None:
        super().__init__(problems)
        self.right = right


class LimitReached(Refusal):
    """A refusal of more than there may be: the name of the `limit`, `used`, `allowed`."""

    def __init__(
        self, problems: Iterable[Problem], **members: str | int | None
    ) -> None:
        super().__init__(problems)
        self.members = members


def error(path: str, reason: str, code: str = "") -> Diagnostic:
    """Make an error diagnostic, whose text begins with its path (IMP-130)."""
    path = printable(path)
    return Diagnostic(Severity.ERROR, path, f"{path}: {printable(reason)}", code)


class PackageError(Exception):
    """The refusal of the whole package before anything is written."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        super().__init__("; ".join(d.message for d in diagnostics))
