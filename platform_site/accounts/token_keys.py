"""The keys of tokens: new ones are signed with the present key, and those signed with an
earlier one are accepted until they end.

The library of signatures takes ten megabytes, so it is imported with the first token.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Any

from django.conf import settings
from rest_framework_simplejwt.exceptions import (
    TokenBackendError,
    TokenBackendExpiredToken,
)
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.tokens import Token


class KeyRing:
    """The backend of tokens with all keys that count."""

    def encode(self, payload: dict[str, Any]) -> str:
        """Return a token signed with the present key."""
        return str(_present().encode(payload))

    def decode(self, token: Any, verify: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - as in the library
        """Return the content of a token; raise TokenBackendError for an invalid one."""
        found: dict[str, Any]
        try:
            found = _present().decode(token, verify)
            return found
        except TokenBackendExpiredToken:
            # The key was right.
            raise
        except TokenBackendError:
            for key in settings.PLATFORM_PREVIOUS_TOKEN_KEYS:
                try:
                    found = _earlier(key).decode(token, verify)
                    return found
                except TokenBackendExpiredToken:
                    raise
                except TokenBackendError:
                    continue
            raise

    def get_leeway(self) -> timedelta:
        """Return by how much the clocks may differ."""
        leeway: timedelta = _present().get_leeway()
        return leeway


def _present() -> Any:
    from rest_framework_simplejwt.state import (  # noqa: PLC0415 - as said above
        token_backend,
    )

    return token_backend


@cache
def _earlier(key: str) -> Any:
    from rest_framework_simplejwt.backends import (  # noqa: PLC0415 - as said above
        TokenBackend,
    )

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
