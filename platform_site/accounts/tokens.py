"""Login and refresh tokens, signed for a user at sign-in. They end when the account is
locked, deactivated or gets another password, or when their family ends: all tokens of
one sign-in."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Exists
from django.utils import timezone
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.tokens import Token

from platform_site.accounts.models import EndedTokenFamily, UsedRefreshToken, User
from platform_site.accounts.services import can_sign_in
from platform_site.accounts.token_keys import RotatedToken

_FAMILY: Final = "family"
_STAMP: Final = "stamp"
_LONGEST_ID: Final = 64
_LARGEST_KEY: Final = 2**63 - 1


class LoginToken(RotatedToken):
    """An access token for the API (OPEN-112)."""

    token_type = "access"
    lifetime = api_settings.ACCESS_TOKEN_LIFETIME

    def verify_token_type(self) -> None:
        """Accept a token without a type, because others may sign with the same key."""
        self.payload.setdefault(api_settings.TOKEN_TYPE_CLAIM, self.token_type)
        super().verify_token_type()


class RefreshToken(RotatedToken):
    """A token that can be exchanged once for a new pair of tokens."""

    token_type = "refresh"
    lifetime = api_settings.REFRESH_TOKEN_LIFETIME


@dataclass(frozen=True, slots=True)
class Exchange:
    """The result of an exchange: the user, and the new pair if the token was valid."""

    user: User | None = None
    pair: dict[str, Any] | None = None


def new_pair(user: User, *, family: str = "") -> dict[str, Any]:
    """Return a new login and refresh token in the form of the API (OPEN-113).

    They have the stamp that the account had when its password was checked, so a stamp
    that has changed since then ends them too.
    """
    family = family or uuid.uuid4().hex
    login, refresh = (_issued(t, user, family) for t in (LoginToken, RefreshToken))
    return {
        "token": str(login),
        "refreshToken": str(refresh),
        "expires": _moment(login["exp"]),
        "refreshExpires": _moment(refresh["exp"]),
    }


def user_of(token: Token) -> User | None:
    """Return the user of a verified token, None if the token has ended.

    The content isn't trusted, because others may have the signing key. A token without
    a stamp is valid until something ends the tokens of its account.
    """
    text, family = token.get(api_settings.USER_ID_CLAIM), _family_of(token)
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()):
        return None
    if len(text) > len(str(_LARGEST_KEY)) or int(text) > _LARGEST_KEY or not family:
        return None
    ended = EndedTokenFamily.objects.filter(family=family)
    user = User.objects.filter(~Exists(ended), pk=int(text)).first()
    if user is None or not can_sign_in(user):
        return None
    return user if token.get(_STAMP, "") == user.token_stamp else None


def read_token(kind: Callable[[Any], Token], text: str | bytes) -> Token | None:
    """Return the token if its signature, audience and time are valid, else None."""
    try:
        return kind(text)
    except (TokenError, ValueError, TypeError, OverflowError, OSError):
        # The library lets some invalid claims raise Python's own errors.
        return None


def exchange(text: str) -> Exchange:
    """Exchange a refresh token for a new pair.

    A second use ends its family: one of the two users of the token has stolen it, and
    it is unknown which one (RFC 9700, section 4.14.2).
    """
    token = read_token(RefreshToken, text)
    user = None if token is None else user_of(token)
    if token is None or user is None:
        return Exchange()
    family = _family_of(token)
    try:
        # Of two concurrent uses the database accepts only one.
        with transaction.atomic():
            UsedRefreshToken.objects.create(
                jti=str(token["jti"]), expires_at=_moment(token["exp"])
            )
    except IntegrityError:
        _end(family)
        return Exchange(user)
    return Exchange(user, new_pair(user, family=family))


def sign_out(text: str) -> User | None:
    """End the family of a refresh token; return its user if the token was valid."""
    token = read_token(RefreshToken, text)
    if token is None or not (family := _family_of(token)):
        return None
    user = user_of(token)
    _end(family)
    return user


def _end(family: str) -> None:
    longest = max(LoginToken.lifetime, RefreshToken.lifetime)
    EndedTokenFamily.objects.get_or_create(
        family=family, defaults={"expires_at": timezone.now() + longest}
    )


def _family_of(token: Token) -> str:
    """Return the family of a token, an empty text if its name is invalid.

    A token without one, such as those of version 0.1, starts its own family.
    """
    jti, family = token.get(api_settings.JTI_CLAIM), token.get(_FAMILY)
    names = [jti] if family is None else [jti, family]
    if all(isinstance(n, str) and 0 < len(n) <= _LONGEST_ID for n in names):
        return str(names[-1])
    return ""


def _issued(kind: type[Token], user: User, family: str) -> Token:
    token = kind.for_user(user)
    token["name"] = user.get_username()
    token["roles"] = sorted(user.groups.values_list("name", flat=True))
    token[_FAMILY] = family
    token[_STAMP] = user.token_stamp
    return token


def _moment(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)
