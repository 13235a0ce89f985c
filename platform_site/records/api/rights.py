"""The permissions of the API of rows. They are checked before any row is looked up, so
that the response doesn't reveal whether a row exists."""

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
    """The permission for an action; the services check it again when they write."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the user is signed in; raise NotAllowed if a right is
        missing."""
        if not request.user.is_authenticated:
            return False
        right = {**_RIGHTS, **view.rights}.get(view.action)
        # Without an action the path doesn't have the method: 405.
        if right is not None:
            authorise(request.user, view.model, right)
        if view.action in view.shown:
            authorise(request.user, view.model, "view")
        return True
