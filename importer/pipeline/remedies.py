"""The remedies for refused objects, in terms of their package and step."""

from __future__ import annotations

from typing import Any

import msgspec

from importer.package.references import as_reference
from importer.package.shapes import Owner, Problem, Step
from importer.package.taken_values import CODE, taken
from importer.package.translation import gettext as _
from importer.package.wire_values import as_text, short
from importer.pipeline.code_suggestions import CodeSuggestions
from importer.pipeline.memory import Memory
from importer.pipeline.resolve import NOT_FOUND
from importer.pipeline.row_numbers import number_of, shown_key
from importer.pipeline.values import ObjectContent
from importer.pipeline.window import Window

# For these the value doesn't help.
_WITHOUT_VALUE = ("required", "misplaced", "not-allowed", "limit-reached")


class Remedies:
    """The problems of a package's objects, completed with value, owner and remedy."""

    def __init__(
        self, memory: Memory, package: str, suggestions: CodeSuggestions
    ) -> None:
        self._memory = memory
        self._package = package
        self._suggestions = suggestions

    def completed(
        self,
        problem: Problem,
        step: Step,
        one: ObjectContent,
        window: Window,
        *,
        found: bool,
    ) -> Problem:
        """Return a problem with value, owner and remedy; ``found``: it has a row."""
        if problem.code == CODE and problem.owner is not None:
            owner = self._owner(problem.owner, window)
            problem = taken(problem.path, problem.value, owner, self._package)
            remedy = self._for_taken(problem, owner, step, found=found)
            return msgspec.structs.replace(problem, remedy=remedy)
        value = problem.value
        if value is None and problem.code not in _WITHOUT_VALUE:
            value = given(one.item, problem.path)
        message = problem.message
        if problem.code == NOT_FOUND:
            message += self._suggestion(problem.path, one, window)
        remedy = problem.remedy or remedy_of(problem.code)
        return msgspec.structs.replace(
            problem, message=message, value=value, remedy=remedy
        )

    def _suggestion(self, path: str, one: ObjectContent, window: Window) -> str:
        """Return a suggestion for the unknown code at a path."""
        number = one.entry.number
        for use in self._memory.code_uses(range(number, number + 1)):
            if use.path == path:
                return self._suggestions.suggest(use.to, use.code, window)
        return ""

    def _owner(self, owner: Owner, window: Window) -> Owner:
        """Return the owner, which is an object of this run if it wrote the row."""
        number = window.writer(owner.model, number_of(owner.row_id))
        if number is None:
            return owner
        key = self._memory.ids[number]
        row_id = shown_key(number_of(owner.row_id))
        return Owner(owner.model, row_id, owner.name or key, self._package, key)

    def _for_taken(
        self, problem: Problem, owner: Owner, step: Step, *, found: bool
    ) -> str:
        name = problem.path
        if owner.package == self._package:
            if owner.key in self._memory.numbers:
                return _("Give each object a value of its own.")
            sentence = _(
                "The package no longer has %(key)s. If this is the same thing, give "
                "the object its old $id again."
            )
            return sentence % {"key": owner.key}
        if found:
            return _("Give one of the two another value.")
        words = {
            "property": name,
            "match": ", ".join(step.match),
            "code": short(problem.value),
            "package": owner.package or "",
        }
        if owner.package is not None:
            sentence = _(
                "The row belongs to the package %(package)s. Leave this object out "
                'and refer to the row with {"$code": %(code)s}, give the object '
                "another %(property)s, or let its step take the row over: "
                '"match": ["%(property)s"], "takeOver": ["%(package)s"].'
            )
        elif not step.match:
            sentence = _(
                'The row was not adopted because the step has no "match". To '
                'adopt it, add "match": ["%(property)s"] to the step.'
            )
        elif name in step.match:
            sentence = _(
                "The row was not adopted because the step matches on "
                "%(match)s, and the row differs in at least one of them. To "
                'adopt it, use "match": ["%(property)s"].'
            )
        else:
            sentence = _(
                "The row was not adopted because the step matches on "
                '%(match)s. To adopt it, use "match": ["%(property)s"].'
            )
        return sentence % words


def given(item: dict[str, Any], path: str) -> str | None:
    """Return the value of an object at a path: a scalar, or the name in a reference."""
    value: Any = item
    for part in path.replace("]", "").replace("[", ".").split(".") if path else ():
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            value = value.get(part) if isinstance(value, dict) else None
    reference = as_reference(value)
    return as_text(value if reference is None else reference[1])


def remedy_of(code: str) -> str:
    """Return the remedy for refusals that are the same in all packages."""
    if code == "not-allowed":
        return _("Run the package as a user who has this right, or ask for it.")
    if code == "user-gone":
        return _("Run the package again as an active user.")
    if code == "row-deleted":
        return _("Restore the row, or refer to another.")
    return ""
