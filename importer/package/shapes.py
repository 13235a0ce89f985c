"""The values passed between stations: header, step, mark, outcome, result.

All are immutable; those created per object are ``msgspec.Struct``, at a tenth of the
cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Self

import msgspec

from importer.package.fields import FieldSpec
from importer.package.printable_text import LONGEST_VALUE, cut, printable
from importer.package.step_policies import Policy
from importer.package.translation import ngettext

FORMAT = "platform-import/1"
MAX_VERSION = 2147483647
# In ``takeOver``: the rows of every other package.
EVERY_PACKAGE = "*"
MOST_PROBLEMS = 20
# The codes of a count of others, of a refusal by the database, and of the licence.
MORE, BY_DATABASE, LIMIT_REACHED = "more-errors", "database", "limit-reached"
_LONGEST_PATH = 300
_LONGEST_MESSAGE = 1000


class Origin(StrEnum):
    """The origin of a package in its header (IMP-051)."""

    IMPORT = "import"
    DEMO_SEED = "demoSeed"

    @property
    def stored(self) -> str:
        """Return the value of the mark column (IMP-114)."""
        return "Import" if self is Origin.IMPORT else "DemoSeed"


class Outcome(StrEnum):
    """The outcome of one object (IMP-125)."""

    INSERTED = "Inserted"
    UNCHANGED = "Unchanged"
    UPDATED = "Updated"
    ADOPTED = "Adopted"
    RESTORED = "Restored"
    SKIPPED_USER_MODIFIED = "SkippedUserModified"
    SKIPPED_DRIFT = "SkippedDrift"
    SKIPPED_DELETED = "SkippedDeleted"
    FAILED = "Failed"
    # The outcomes of rows whose objects the file no longer has; only packages that ask
    # for them have them in their counts.
    MISSING = "Missing"
    DELETED = "Deleted"


MISSING_OUTCOMES = (Outcome.MISSING, Outcome.DELETED)


WRITTEN = (
    Outcome.INSERTED,
    Outcome.UPDATED,
    Outcome.ADOPTED,
    Outcome.RESTORED,
    Outcome.DELETED,
)
"""The outcomes of rows that were written."""


KEPT = (
    Outcome.SKIPPED_USER_MODIFIED,
    Outcome.SKIPPED_DRIFT,
    Outcome.SKIPPED_DELETED,
)
"""The outcomes of rows that were kept although their object differs."""


class Severity(StrEnum):
    """The severity of a diagnostic; only errors count for ``hasErrors`` (OPEN-40)."""

    ERROR = "Error"
    WARNING = "Warning"
    INFO = "Info"


class Header(msgspec.Struct, frozen=True):
    """The header of a valid package.

    ``columns`` are those of the table that it was made from, by property.
    """

    package: str
    version: int
    origin: Origin
    configuration: str
    renamed_from: tuple[str, ...] = ()
    columns: Mapping[str, str] = {}


def header_of(keys: Mapping[str, Any]) -> Header:
    """Return the header from the keys of a valid package."""
    return Header(
        package=keys["package"],
        version=keys["version"],
        origin=Origin(keys["origin"]),
        configuration=keys["configuration"],
        renamed_from=tuple(dict.fromkeys(keys.get("renamedFrom", ()))),
        columns=keys.get("columns", {}),
    )


class Step(msgspec.Struct, frozen=True):
    """One step of a valid package, without its items.

    ``fields`` describes its objects, ``source`` is the target they are created from,
    ``submit`` asks to submit rows too. Rows of packages in ``take_over`` may match.
    """

    index: int
    kind: str
    target: str
    policy: Policy
    fields: tuple[FieldSpec, ...]
    match: tuple[str, ...] = ()
    source: str = ""
    submit: bool = False
    take_over: tuple[str, ...] = ()


class Mark(msgspec.Struct, frozen=True):
    """The connection of a row with its object (IMP-113 to IMP-117).

    With ``keeps_time`` the row keeps the time of its import, and so remains changed by
    a user.
    """

    origin: str
    source: str
    key: str
    source_hash: str
    keeps_time: bool = False


class Diagnostic(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message about the package; an error's begins with its path."""

    severity: Severity
    path: str
    message: str
    code: str = ""


class Owner(msgspec.Struct, frozen=True, rename="camel"):
    """The row that blocks an object; without a mark it has no package."""

    model: str
    row_id: int | str | None
    name: str
    package: str | None = None
    key: str | None = None


class Problem(msgspec.Struct, frozen=True):
    """One problem at a path inside an object (``""`` is the object itself).

    ``code`` is its language-independent kind, such as ``taken``; ``value`` the refused
    value as text, ``owner`` the row that blocks it, ``remedy`` a sentence on what to
    do. Equal causes have the same code, property and value.
    """

    path: str
    message: str
    code: str = "invalid"
    value: str | None = None
    owner: Owner | None = None
    remedy: str = ""


class Problems(list[Problem]):
    """The problems of one object: the first ones in full, the others counted."""

    more = 0

    @property
    def room(self) -> int:
        """The number of problems that can still be listed in full."""
        return max(0, MOST_PROBLEMS - len(self))

    def append(self, problem: Problem) -> None:
        """Add a problem, cut to the maximum length."""
        if not self.room:
            self.more += 1
            return
        path, message = problem.path, cut(problem.message, _LONGEST_MESSAGE)
        value = problem.value and cut(problem.value, LONGEST_VALUE)
        bounded = {"path": cut(path, _LONGEST_PATH), "message": message, "value": value}
        super().append(msgspec.structs.replace(problem, **bounded))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems, including those that are only counted."""
        for problem in problems:
            self.append(problem)
        if isinstance(problems, Problems):
            self.more += problems.more

    def listed(self) -> tuple[Problem, ...]:
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
    """The refusal of one object, with all its problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = Problems()
        found.extend(problems)
        self.problems = found.listed()
        super().__init__("; ".join(p.message for p in self.problems))


class Refusal(ObjectError):
    """The refusal of an object by the services."""


class NotAllowed(Refusal):
    """The refusal of a user without a right (IMP-029), named if it is only one."""

    def __init__(self, problems: Iterable[Problem], right: str | None = None) -> None:
        super().__init__(problems)
        self.right = right


class LimitReached(Refusal):
    """A refusal beyond a limit: its name `limit`, `used` and `allowed`."""

    def __init__(
        self, problems: Iterable[Problem], **members: str | int | None
    ) -> None:
        super().__init__(problems)
        self.members = members

    @classmethod
    def of(
        cls, reason: str, *, limit: str, used: int, allowed: int | None, path: str = ""
    ) -> Self:
        """Return the refusal for one limit, with its reason at a path."""
        problem = Problem(path, reason, LIMIT_REACHED)
        return cls([problem], limit=limit, used=used, allowed=allowed)


def error(path: str, reason: str, code: str = "") -> Diagnostic:
    """Return an error diagnostic, whose text starts with its path (IMP-130)."""
    path = printable(path)
    return Diagnostic(Severity.ERROR, path, f"{path}: {printable(reason)}", code)


class PackageError(Exception):
    """The refusal of the whole package before the first write."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        super().__init__("; ".join(d.message for d in diagnostics))
