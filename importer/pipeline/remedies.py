"""The remedies for refused objects, in terms of their package and step."""

from __future__ import annotations

from typing import Any

import msgspec

from importer.package.references import BY_ID, as_reference, references
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

DELETED = "row-deleted"
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
        message, blocking = problem.message, problem.owner
        if problem.code == NOT_FOUND:
            message, deleted = self._unknown_code(problem, one, window)
        elif problem.code == DELETED:
            deleted = self._deleted(problem.path, step, one, window)
        else:
            deleted = None
        remedy = problem.remedy or remedy_of(problem.code)
        if deleted is not None:
            blocking = deleted
            sentence = _("Restore the deleted row %(row)s, or refer to another.")
            remedy = sentence % {"row": deleted.name}
        return msgspec.structs.replace(
            problem, message=message, value=value, owner=blocking, remedy=remedy
        )

    def _unknown_code(
        self, problem: Problem, one: ObjectContent, window: Window
    ) -> tuple[str, Owner | None]:
        """Return the message about an unknown code, with the deleted row that has it,
        or a suggestion."""
        number = one.entry.number
        for use in self._memory.code_uses(range(number, number + 1)):
            if use.path == problem.path:
                row = self._suggestions.deleted(use.to, use.code)
                if row is not None:
                    return problem.message, owner_of(use.to, row)
                suggestion = self._suggestions.suggest(use.to, use.code, window)
                return problem.message + suggestion, None
        return problem.message, None

    def _deleted(
        self, path: str, step: Step, one: ObjectContent, window: Window
    ) -> Owner | None:
        """Return the deleted row that an object refers to by ``$ref``."""
        for reference in references(one.item, step.fields):
            if reference.path == path and reference.by == BY_ID:
                to = reference.to
                number = self._memory.numbers[reference.key]
                row = window.row(to, self._memory.row_id(number) or 0)
                if row is not None and self._suggestions.may_view(to):
                    return owner_of(to, row)
        return None

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
            sentence += " " + _(
                "If that is this package under its former name, add "
                '"renamedFrom": ["%(package)s"] to its header instead.'
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


def owner_of(target: str, row: Any) -> Owner:
    """Return a row as the owner of a problem."""
    key = shown_key(number_of(row.pk))
    return Owner(target, key, str(row), row.import_source, row.import_key)


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
    if code == DELETED:
        return _("Restore the row, or refer to another.")
    return ""
