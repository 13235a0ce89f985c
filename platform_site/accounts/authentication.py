"""The authentication classes of the API: login token, API key and session cookie. Each
sets the user and the credential of the request."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework_simplejwt.authentication import JWTAuthentication

from platform_site.accounts.api_keys import recognised, shown_part
from platform_site.accounts.first_password import refuse_one_time_password
from platform_site.accounts.languages import activate_language_of
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.scopes import refuse_beyond_scopes
from platform_site.accounts.security_log import SignIn, note_sign_in
from platform_site.accounts.tokens import LoginToken, read_token, user_of

_NO_TOKEN = _("The token is not valid or has expired; sign in again.")
_NO_HEADER = _(
    "Send the header Authorization once, with the word Bearer, a space and a token."
)
_NO_KEY = _(
    "The API key is not valid: it is unknown, expired or revoked, or its user is not "
    "active."
)


class BearerAuthentication(JWTAuthentication):
    """Authentication by ``Authorization: Bearer <token>``. It comes first, since its
    challenge makes DRF respond with 401 instead of 403."""

    def authenticate(self, request: Request) -> Any:
        """Return the user and the token; raise PermissionDenied for a user who must
        choose a password first."""
        found = super().authenticate(request)
        if found is not None:
            refuse_one_time_password(found[0], request.path)
        return found

    def get_raw_token(self, header: bytes) -> bytes | None:
        """Return the token of the header, None if the header has another scheme.

        The scheme is case-insensitive (RFC 9110, section 11.1).
        """
        scheme, *rest = header.split() or [b""]
        if scheme and scheme.lower() != b"bearer":
            return None
        # Servers join two headers into one with a comma.
        if len(rest) != 1 or b"," in rest[0]:
            raise AuthenticationFailed(_NO_HEADER)
        return rest[0]

    def get_validated_token(self, raw_token: bytes) -> Any:
        """Return the token if its signature and time are valid."""
        token = read_token(LoginToken, raw_token)
        if token is None:
            raise AuthenticationFailed(_NO_TOKEN)
        return token

    def get_user(self, validated_token: Any) -> Any:
        """Return the token's user unless something has ended the token."""
        user = user_of(validated_token)
        if user is None:
            raise AuthenticationFailed(_NO_TOKEN)
        activate_language_of(user)
        return user


class ApiKeyAuthentication(BaseAuthentication):
    """Authentication by ``X-Api-Key: <key>`` (IMP-308)."""

    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        """Return the owner of the key, and the key; raise PermissionDenied for what its
        scopes don't allow."""
        text = request.META.get("HTTP_X_API_KEY")
        if text is None:
            return None
        key = recognised(text)
        if key is None:
            note_sign_in(
                SignIn.FAILED,
                user_name=shown_part(text),
                request=request._request,
                via="API key",
            )
            raise AuthenticationFailed(_NO_KEY)
        activate_language_of(key.user)
        user = key.acting_user()
        refuse_beyond_scopes(user.key_scopes, request)
        return user, key

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge, used where this is the only authentication."""
        return 'ApiKey realm="api"'
