"""Browsers in which somebody signed in before: known by a signed cookie, one for each
account, which lets its owner try a password while strangers have to wait."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.urls import reverse

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

_KNOWN_FOR: Final = timedelta(days=365)


def folded(user_name: str) -> str:
    """Return a name as it is counted: other spellings are no other name."""
    return unicodedata.normalize("NFKC", user_name).strip().casefold()[:150]


def device_of(request: HttpRequest | None, user_name: str) -> str:
    """Return which device of this account the browser is, an empty text if none."""
    name = folded(user_name)
    text = "" if request is None else request.COOKIES.get(_cookie(name), "")
    try:
        return _signer(name).unsign(text, max_age=_KNOWN_FOR)
    except BadSignature:
        return ""


def remember_device(answer: HttpResponse, user_name: str) -> None:
    """Let the browser be known by the account that has just signed in with it."""
    name = folded(user_name)
    answer.set_cookie(
        _cookie(name),
        _signer(name).sign(secrets.token_urlsafe(12)),
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
    return TimestampSigner(salt=f"platform.device:{name}")
