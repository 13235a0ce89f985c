"""The refusal of a value that another row has: which row, and who owns it."""

from __future__ import annotations

from importer.package.shapes import Owner, Problem
from importer.package.translation import gettext as _, gettext_noop
from importer.package.wire_values import as_text, short

CODE = "taken"
_ANOTHER = gettext_noop("Another row already has this value.")
_BY_HAND = gettext_noop("%(value)s is taken by %(row)s, which was entered by hand.")
_BY_A_PACKAGE = gettext_noop(
    "%(value)s is taken by %(row)s, which belongs to the package %(package)s (%(key)s)."
)
_BY_THIS_PACKAGE = gettext_noop(
    "%(value)s is already used by the object %(key)s of this package."
)


def taken(path: str, value: object, owner: Owner | None, package: str = "") -> Problem:
    """Return the problem of a taken value; ``package`` is the running one.

    Without an owner nothing is known or may be revealed about the row.
    """
    text = as_text(value) or str(value)
    return Problem(path, _sentence(text, owner, package), CODE, text, owner)


def _sentence(value: str, owner: Owner | None, package: str) -> str:
    if owner is None or not (owner.name or owner.key):
        return _(_ANOTHER)
    if owner.package is None:
        sentence = _(_BY_HAND)
    elif owner.package == package:
        sentence = _(_BY_THIS_PACKAGE)
    else:
        sentence = _(_BY_A_PACKAGE)
    return sentence % {
        "value": short(value),
        "row": owner.name,
        "package": owner.package,
        "key": owner.key,
    }
