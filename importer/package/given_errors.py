"""The errors that an object brings along: what the program that made the package could
not read."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from importer.package.check import Checked, ItemCheck
from importer.package.hashing import canonical
from importer.package.shapes import Problem, Problems
from importer.package.translation import gettext as _

ERRORS = "$errors"
"""The key of an object that fails with the given sentences, by property."""
_CODE = "not-readable"
_LONGEST = 300


def checked_object(item: dict[str, Any], written: bytes, check: ItemCheck) -> Checked:
    """Return the result of checking an object, and take the errors out of it.

    What is wrong or missing because of a given error isn't reported once more.
    """
    if ERRORS not in item:
        return check(item, written)
    given = _taken_out(item)
    checked = check(item, canonical(item))
    known, problems = {problem.path for problem in given}, Problems()
    problems.extend(given)
    if "" not in known:
        problems.extend(p for p in checked.problems if p.path not in known)
    return replace(checked, problems=problems)


def _taken_out(item: dict[str, Any]) -> list[Problem]:
    given = item.pop(ERRORS)
    if not isinstance(given, dict) or not given or not all(map(_fits, given.items())):
        reason = _("must be a JSON object with a sentence for each wrong property")
        return [Problem(ERRORS, reason, "not-an-object")]
    return [Problem(path, sentence, _CODE) for path, sentence in given.items()]


def _fits(error: tuple[str, Any]) -> bool:
    path, sentence = error
    return len(path) <= _LONGEST and isinstance(sentence, str) and bool(sentence)
