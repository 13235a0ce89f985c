"""Login and refresh tokens: signed for a user at sign-in, read with every request, and
worth nothing once the account was locked, disabled or given another password, or once
their family was ended: all tokens that came from one sign-in."""

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

_FAMILY: Final = "family"
_STAMP: Final = "stamp"
_LONGEST_ID: Final = 64
_LARGEST_KEY: Final = 2**63 - 1


class LoginToken(Token):
    """An access token for the API (OPEN-112)."""

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


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came of a refresh token: whose it is, and the new pair unless it's no good."""

    user: User | None = None
    pair: dict[str, Any] | None = None


def new_pair(user: User, *, family: str = "") -> dict[str, Any]:
    """Return a new login and refresh token as the API answers them (OPEN-113).

    They bear the stamp that the account had when its password was looked at: one that
    changes since then ends them too.
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
    """Return the user a verified token was issued for, if it is still good.

    Whoever holds the signing key may have put anything into it. A token without a stamp
    is good as long as nothing has ended the tokens of its account.
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
    """Return the token a text is, None unless signed by us, meant for us and in time."""
    try:
        return kind(text)
    except (TokenError, ValueError, TypeError, OverflowError, OSError):
        # The library leaves some impossible claims to Python.
        return None


def exchange(text: str) -> Exchange:
    """Use up a refresh token for another pair.

    One that is used a second time ends its family: either of the two who had it has
    stolen it, and nobody can tell which (RFC 9700, section 4.14.2).
    """
    token = read_token(RefreshToken, text)
    user = None if token is None else user_of(token)
    if token is None or user is None:
        return Exchange()
    family = _family_of(token)
    try:
        # Of two at once the database lets only one in.
        with transaction.atomic():
            UsedRefreshToken.objects.create(
                jti=str(token["jti"]), expires_at=_moment(token["exp"])
            )
    except IntegrityError:
        _end(family)
        return Exchange(user)
    return Exchange(user, new_pair(user, family=family))


def sign_out(text: str) -> User | None:
    """End the family of a refresh token, and return whose it was if it was good."""
    token = read_token(RefreshToken, text)
    if token is None or not (family := _family_of(token)):
        return None
    user = user_of(token)
    _end(family)
    return user


def forget_expired() -> None:
    """Forget what was used or ended, once it would be too old anyway."""
    for model in (UsedRefreshToken, EndedTokenFamily):
        model._default_manager.filter(expires_at__lt=timezone.now()).delete()


def _end(family: str) -> None:
    longest = max(LoginToken.lifetime, RefreshToken.lifetime)
    EndedTokenFamily.objects.get_or_create(
        family=family, defaults={"expires_at": timezone.now() + longest}
    )


def _family_of(token: Token) -> str:
    """Return the family; a token that names none, such as those of 0.1, begins one.

    An empty text for what can't be the name of one.
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
