"""The keys of tokens: new ones are signed with the present key, and those signed with an
earlier one are accepted until they end."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Any

from django.conf import settings
from rest_framework_simplejwt.backends import TokenBackend
from rest_framework_simplejwt.exceptions import (
    TokenBackendError,
    TokenBackendExpiredToken,
)
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.state import token_backend
from rest_framework_simplejwt.tokens import Token


class KeyRing:
    """The backend of tokens with all keys that count."""

    def encode(self, payload: dict[str, Any]) -> str:
        """Return a token signed with the present key."""
        return token_backend.encode(payload)

    def decode(self, token: Any, verify: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - as in the library
        """Return the content of a token; raise TokenBackendError for an invalid one."""
        try:
            return token_backend.decode(token, verify)
        except TokenBackendExpiredToken:
            # The key was right.
            raise
        except TokenBackendError:
            for key in settings.PLATFORM_PREVIOUS_TOKEN_KEYS:
                try:
                    return _backend(key).decode(token, verify)
                except TokenBackendExpiredToken:
                    raise
                except TokenBackendError:
                    continue
            raise

    def get_leeway(self) -> timedelta:
        """Return by how much the clocks may differ."""
        return token_backend.get_leeway()


@cache
def _backend(key: str) -> TokenBackend:
    return TokenBackend(
        api_settings.ALGORITHM,
        key,
        audience=api_settings.AUDIENCE,
        issuer=api_settings.ISSUER,
        leeway=api_settings.LEEWAY,
    )


class RotatedToken(Token):
    """The base of tokens whose key can be replaced."""

    def get_token_backend(self) -> Any:
        """Return the keys that count."""
        return _RING

    @property
    def token_backend(self) -> Any:
        """Return the keys that count."""
        return _RING


_RING = KeyRing()
