"""Known devices: browsers in which somebody signed in before, recognised by a signed
cookie per account, so that its owner can try a password while strangers have to wait.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from platform_site.accounts.models import User
from platform_site.accounts.names import folded

_KNOWN_FOR: Final = timedelta(days=365)


def is_known_device(request: HttpRequest | None, user_name: str) -> bool:
    """Tell whether somebody signed in with this browser and name, and nothing has ended
    the account's tokens and sessions since."""
    name = folded(user_name)
    text = "" if request is None else request.COOKIES.get(_cookie(name), "")
    try:
        number, stamp = _signer(name).unsign_object(text, max_age=_KNOWN_FOR)
    except BadSignature:
        return False
    account = User.objects.filter(pk=number, token_stamp=stamp).first()
    return account is not None and folded(account.username) == name


def remember_device(answer: HttpResponseBase, user: User | AnonymousUser) -> None:
    """Let the browser be known by the account that has just given its password there."""
    if not isinstance(user, User):
        return
    name = folded(user.username)
    answer.set_cookie(
        _cookie(name),
        _signer(name).sign_object([user.pk, user.token_stamp]),
        max_age=_KNOWN_FOR,
        # Where passwords are asked for, and nowhere else.
        path=reverse("admin:login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def _cookie(name: str) -> str:
    return f"device-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def _signer(name: str) -> TimestampSigner:
    # The name is part of it: the cookie of one account is none of another.
    return TimestampSigner(salt=f"platform.known-device:{name}")
