"""The user of a run, loaded again during it."""

from __future__ import annotations

from typing import Any, NoReturn

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from importer.package.shapes import NotAllowed, Problem


def refreshed(user: Any) -> Any:
    """Return the user freshly loaded, without cached rights.

    Raise NotAllowed if the user was deleted during the run or is inactive. A proxy
    model may have its own rights, whatever the account may do.
    """
    plain = get_user_model()
    model = user.__class__ if isinstance(user, plain) else plain
    fresh = model._default_manager.filter(pk=user.pk).first()
    if fresh is None:
        _refuse(_("the user “%(user)s” was deleted"), user)
    if model is plain and not fresh.is_active:
        _refuse(_("the user “%(user)s” is deactivated"), user)
    return fresh


def _refuse(sentence: str, user: Any) -> NoReturn:
    name = user.get_username()
    problem = Problem("", sentence % {"user": name}, "user-gone", name)
    raise NotAllowed([problem])
