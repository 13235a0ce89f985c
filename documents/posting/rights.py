"""The rights to change what a posted document has in the registers: whoever may post
and unpost it may do so, in whatever way the change is made."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from msgspec.structs import replace

from importer.targets import authorise
from platform_site.records.errors import NotAllowed


def authorise_settling(document: Any, actor: Any, *actions: str) -> None:
    """Raise NotAllowed, with the reason, if an actor lacks one of the rights."""
    try:
        for action in actions:
            authorise(actor, type(document), action)
    except NotAllowed as refusal:
        message = _(
            "%(row)s is posted, and this change affects its postings. %(reason)s"
        )
        problems = (
            replace(each, message=message % {"row": document, "reason": each.message})
            for each in refusal.problems
        )
        raise NotAllowed(problems, refusal.right) from None


def may_settle(document: Any, actor: Any) -> bool:
    """Return whether an actor may change the register entries of a posted document."""
    try:
        authorise_settling(document, actor, "unpost", "post")
    except NotAllowed:
        return False
    return True
