"""The causes of a run's failures: equal refusals are one cause, with a count.

An object that fails only because it refers to a failed one is not a cause; it is
counted as a dependant of every cause behind it. A failed object costs a number, not an
instance, so that a quarter of a million fit in memory.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator

import msgspec

from importer.package.paths import inside
from importer.package.printable_text import printable
from importer.package.shapes import Diagnostic, Owner, Problem, error
from importer.package.translation import gettext as _, ngettext

MOST_CAUSES = 1000
_MOST_SETS = 10_000
_LONGEST = 1000
_INDEX = re.compile(r"\[[0-9]+\]")


class FirstOccurrence(msgspec.Struct, frozen=True, rename="camel"):
    """The first place of a cause: a path, and its object, if any.

    ``column`` is that of the table that the package was made from, None without one,
    empty for the row as a whole.
    """

    path: str
    line: int | None = None
    id: str | None = None
    name: str | None = None
    column: str | None = None

    @property
    def place(self) -> str:
        """Return the place as people find it: line and column of a table, else the
        path."""
        if self.column is None:
            return self.path
        words = {"line": self.line, "column": self.column}
        return (
            _("line %(line)s, %(column)s") if self.column else _("line %(line)s")
        ) % words


class Cause(msgspec.Struct, rename={"about": "property"}):
    """One cause of failures: the refusal, its number of objects, and its dependants.

    ``count`` is the number of objects refused for it, ``dependants`` the number of
    those that fail only because they refer to one of these, directly or not. ``about``
    is called ``property`` in reports.
    """

    code: str
    message: str
    about: str
    value: str | None
    count: int
    dependants: int
    first: FirstOccurrence
    owner: Owner | None = None
    remedy: str = ""

    @property
    def sentence(self) -> str:
        """Return the first place and the reason as one line, with the count."""
        return counted(error(self.first.place, self.message).message, self.count)

    def diagnostic(self) -> Diagnostic:
        """Return the cause as an error diagnostic (IMP-130)."""
        return msgspec.structs.replace(
            error(self.first.path, ""), message=self.sentence
        )


def counted(line: str, count: int) -> str:
    """Return a line, with the number of occurrences if there are several."""
    if count == 1:
        return line
    times = ngettext("(in %(count)s object)", "(in %(count)s objects)", count)
    return f"{line} {times}"


class Causes:
    """The distinct causes of a run, of which the first thousand are kept."""

    def __init__(self) -> None:
        self.left_out = 0
        self._causes: list[Cause] = []
        self._known: dict[tuple[object, ...], int] = {}
        # The first object of each cause, -1 for the package as a whole.
        self._objects = array("q")
        # For each object the index of its causes in the list of all combinations.
        self._sets: list[tuple[int, ...]] = [()]
        self._set_places: dict[tuple[int, ...], int] = {(): 0}
        self._of = array("I")

    def refused(self, number: int, base: str, problems: Iterable[Problem]) -> None:
        """Count an object under each of its problems; ``base`` is its path."""
        met = {self._cause(number, base, problem): None for problem in problems}
        found = tuple(place for place in met if place is not None)
        for place in found:
            self._causes[place].count += 1
        self._remember(number, found)

    def depends(self, number: int, on: Iterable[int]) -> None:
        """Count an object as dependant of the causes of failed objects it refers to."""
        met = {place: None for other in on for place in self._causes_of(other)}
        for place in met:
            self._causes[place].dependants += 1
        self._remember(number, tuple(met))

    def whole(self, diagnostic: Diagnostic, remedy: str = "") -> None:
        """Count an error of the package as a whole."""
        reason = diagnostic.message.removeprefix(f"{diagnostic.path}: ")
        problem = Problem("", reason, diagnostic.code or "invalid", remedy=remedy)
        place = self._cause(-1, diagnostic.path, problem)
        if place is not None:
            self._causes[place].count += 1

    def listed(self) -> tuple[Cause, ...]:
        """Return the causes: first those of the whole package, then by number of
        dependants."""

        def rank(place: int) -> tuple[bool, int, int]:
            cause = self._causes[place]
            return self._objects[place] >= 0, -cause.dependants, -cause.count

        places = sorted(range(len(self._causes)), key=rank)
        return tuple(self._causes[place] for place in places)

    def first_objects(self) -> Iterator[tuple[Cause, int]]:
        """Yield each cause in an object, with the number of that object."""
        for cause, number in zip(self._causes, self._objects, strict=True):
            if number >= 0:
                yield cause, number

    def _cause(self, number: int, base: str, problem: Problem) -> int | None:
        """Return the cause of a problem, None if there are too many already."""
        owner, value = problem.owner, problem.value
        name = base if number < 0 else _INDEX.sub("", problem.path)
        key = (
            problem.code,
            name,
            value,
            owner and (owner.model, owner.row_id, owner.key),
            problem.message if value is None else "",
        )
        place = self._known.get(key)
        if place is None:
            if len(self._causes) >= MOST_CAUSES and base != "$":
                self.left_out += 1
                return None
            place = self._known[key] = len(self._causes)
            self._objects.append(number)
            self._causes.append(
                Cause(
                    code=problem.code,
                    message=printable(problem.message[:_LONGEST]),
                    about=printable(name if name != "$" else ""),
                    value=value,
                    count=0,
                    dependants=0,
                    first=FirstOccurrence(printable(inside(base, problem.path))),
                    owner=owner,
                    remedy=problem.remedy,
                )
            )
        return place

    def _causes_of(self, number: int) -> tuple[int, ...]:
        return self._sets[self._of[number]] if number < len(self._of) else ()

    def _remember(self, number: int, found: tuple[int, ...]) -> None:
        if number >= len(self._of):
            self._of.extend([0] * (number + 1 - len(self._of)))
        place = self._set_places.get(found)
        if place is None and len(self._sets) >= _MOST_SETS:
            found = found[:1]
            place = self._set_places.get(found)
        if place is None:
            place = self._set_places[found] = len(self._sets)
            self._sets.append(found)
        self._of[number] = place
