"""Who may do what with the rows of a model: Django's permissions, asked before anything
is looked up, so that a row somebody may not see is not betrayed by its absence."""

from __future__ import annotations

from typing import Any, Final

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from importer.targets import authorise

_RIGHTS: Final = {
    "list": "view",
    "retrieve": "view",
    "create": "add",
    "update": "change",
    "partial_update": "change",
    "destroy": "delete",
    "restore": "change",
}


class MayDo(BasePermission):
    """The right that an action needs; the services check it once more when they
    write."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether somebody is signed in; raise NotAllowed if a right is
        missing."""
        if not request.user.is_authenticated:
            return False
        right = {**_RIGHTS, **view.rights}.get(view.action)
        # No action at all is a method that the path does not have: 405.
        if right is not None:
            authorise(request.user, view.model, right)
        if view.action in view.shown:
            authorise(request.user, view.model, "view")
        return True
