"""Known devices: browsers in which a user has signed in before, recognised by a signed
cookie per account. Their users can try a password while strangers have to wait."""

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
    """Return whether this user signed in with this browser before, and the account's
    tokens haven't been ended since."""
    name = folded(user_name)
    text = "" if request is None else request.COOKIES.get(_cookie(name), "")
    try:
        number, stamp = _signer(name).unsign_object(text, max_age=_KNOWN_FOR)
    except BadSignature:
        return False
    account = User.objects.filter(pk=number, token_stamp=stamp).first()
    return account is not None and folded(account.username) == name


def remember_device(answer: HttpResponseBase, user: User | AnonymousUser) -> None:
    """Set the cookie that makes the browser known for a user who has just signed in."""
    if not isinstance(user, User):
        return
    name = folded(user.username)
    answer.set_cookie(
        _cookie(name),
        _signer(name).sign_object([user.pk, user.token_stamp]),
        max_age=_KNOWN_FOR,
        # Sent only to the page that asks for passwords.
        path=reverse("admin:login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def _cookie(name: str) -> str:
    return f"device-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def _signer(name: str) -> TimestampSigner:
    # The salt includes the name, so that a cookie is valid for one account only.
    return TimestampSigner(salt=f"platform.known-device:{name}")
