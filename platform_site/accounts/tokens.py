"""Login and refresh tokens: signed for a user at sign-in, read with every request, and
worth nothing once the account was locked, disabled or given another password."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.tokens import Token

from platform_site.accounts.models import UsedRefreshToken, User
from platform_site.accounts.services import can_sign_in

if TYPE_CHECKING:
    from collections.abc import Callable

# `iat` counts whole seconds; a password may change twice within one.
_ISSUED: Final = "issuedAtMicroseconds"
_LARGEST_KEY: Final = 2**63 - 1


class LoginToken(Token):
    """Open the API for its user (OPEN-112)."""

    token_type = "access"
    lifetime = api_settings.ACCESS_TOKEN_LIFETIME

    def verify_token_type(self) -> None:
        """Take a token that says nothing of its type: whoever has the key may sign."""
        self.payload.setdefault(api_settings.TOKEN_TYPE_CLAIM, self.token_type)
        super().verify_token_type()


class RefreshToken(Token):
    """Be exchanged, once, for another pair of tokens."""

    token_type = "refresh"
    lifetime = api_settings.REFRESH_TOKEN_LIFETIME


def new_pair(user: User, *, asked_at: datetime.datetime) -> dict[str, Any]:
    """Return a new login and refresh token as the API answers them (OPEN-113).

    They count from the moment they were asked for, before anything was looked at: a
    password that changes meanwhile ends them too.
    """
    login, refresh = (_issued(t, user, asked_at) for t in (LoginToken, RefreshToken))
    return {
        "token": str(login),
        "refreshToken": str(refresh),
        "expires": _moment(login["exp"]),
        "refreshExpires": _moment(refresh["exp"]),
    }


def user_of(token: Token) -> User | None:
    """Return the user a verified token was issued for, if it is still good.

    Whoever holds the signing key may have put anything into it.
    """
    text, issued = token.get(api_settings.USER_ID_CLAIM), _issued_at(token)
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()):
        return None
    if len(text) > len(str(_LARGEST_KEY)) or int(text) > _LARGEST_KEY:
        return None
    user = User.objects.filter(pk=int(text)).first()
    if user is None or not can_sign_in(user):
        return None
    ended = user.tokens_since
    return user if ended is None or issued >= ended.timestamp() else None


def read_token(kind: Callable[[Any], Token], text: str | bytes) -> Token | None:
    """Return the token a text is, None unless signed by us, meant for us and in time."""
    try:
        return kind(text)
    except (TokenError, ValueError, TypeError, OverflowError, OSError):
        # The library leaves some impossible claims to Python.
        return None


def exchange(text: str) -> User | None:
    """Use up a refresh token and return its user; None for one that is no good."""
    token = read_token(RefreshToken, text)
    user = None if token is None else user_of(token)
    if token is None or user is None:
        return None
    UsedRefreshToken.objects.filter(expires_at__lt=timezone.now()).delete()
    jti, expires = str(token["jti"]), _moment(token["exp"])
    if len(jti) > 64:
        return None
    try:
        # Of two at once the database lets only one in.
        with transaction.atomic():
            UsedRefreshToken.objects.create(jti=jti, expires_at=expires)
    except IntegrityError:
        return None
    return user


def _issued(kind: type[Token], user: User, at: datetime.datetime) -> Token:
    token = kind.for_user(user)
    token.set_iat(at_time=at)
    token.set_exp(from_time=at)
    token["name"] = user.get_username()
    token["roles"] = sorted(user.groups.values_list("name", flat=True))
    token[_ISSUED] = int(at.timestamp() * 1_000_000)
    return token


def _issued_at(token: Token) -> float:
    """Return when a token was issued, in seconds; 0 if it does not say so."""
    exact, whole = token.get(_ISSUED), token.get("iat")
    if isinstance(exact, int):
        return exact / 1_000_000
    return float(whole) if isinstance(whole, int | float) else 0.0


def _moment(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)
