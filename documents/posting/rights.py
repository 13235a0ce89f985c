"""Who may change what a posted document has in the registers: whoever may take it back
and post it again, whatever way the change comes by."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from msgspec.structs import replace

from importer.targets import authorise
from platform_site.records.errors import NotAllowed


def authorise_settling(document: Any, actor: Any, *actions: str) -> None:
    """Refuse an actor who lacks one of some rights, and say why it takes them."""
    try:
        for action in actions:
            authorise(actor, type(document), action)
    except NotAllowed as refusal:
        message = _(
            "%(row)s is posted, and this changes what it has posted. %(reason)s"
        )
        problems = (
            replace(each, message=message % {"row": document, "reason": each.message})
            for each in refusal.problems
        )
        raise NotAllowed(problems, refusal.right) from None


def may_settle(document: Any, actor: Any) -> bool:
    """Tell whether an actor may change what a posted document has posted."""
    try:
        authorise_settling(document, actor, "unpost", "post")
    except NotAllowed:
        return False
    return True
