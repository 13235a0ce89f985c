"""The API endpoints for sign-in, token refresh and sign-out. A refusal is the same
whatever its reason (OPEN-113)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import authenticate
from django.contrib.auth.models import update_last_login
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import DeclaredOnly, valid
from importer.targets import StrictSerializer, TextField
from platform_site.accounts.models import User
from platform_site.accounts.security_log import SignIn, note_sign_in, note_sign_out
from platform_site.accounts.throttling import TooManyAttempts, wait_sentence
from platform_site.accounts.tokens import exchange, new_pair, sign_out

# Longer ones take time to hash, and nobody has one.
LONGEST_PASSWORD = 1000
_LONGEST_TOKEN = 10_000


class LoginSerializer(StrictSerializer):
    """The user name and password."""

    userName = TextField(max_length=150)
    password = TextField(max_length=LONGEST_PASSWORD, trim_whitespace=False)


class RefreshSerializer(StrictSerializer):
    """A refresh token."""

    refreshToken = TextField(max_length=_LONGEST_TOKEN)


class TokensSerializer(serializers.Serializer[Any]):
    """A token to send with each call, and a refresh token for the next pair."""

    token = serializers.CharField()
    refreshToken = serializers.CharField()
    expires = serializers.DateTimeField()
    refreshExpires = serializers.DateTimeField()


class NotSignedIn(APIException):
    """The 401 response to a failed sign-in."""

    status_code = 401
    default_code = "not_signed_in"
    auth_header = 'Bearer realm="api"'


class LoginView(DeclaredOnly):
    """The endpoint to sign in."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        tags=["Auth"],
        operation_id="signIn",
        summary="Sign in",
        request=LoginSerializer,
        responses=TokensSerializer,
    )
    def post(self, request: Request) -> Response:
        """Send the token as `Authorization: Bearer …` with each call. After too many
        failures you have to wait; the wait grows with each further failure."""
        given = valid(LoginSerializer(data=request.data))
        name, sender = given["userName"], request._request
        try:
            user = authenticate(sender, username=name, password=given["password"])
        except TooManyAttempts as refused:
            _note(SignIn.THROTTLED, name, request)
            raise too_many_failures(refused.seconds) from None
        if not isinstance(user, User):
            _note(SignIn.FAILED, name, request)
            raise NotSignedIn(_("The user name or the password is wrong."))
        _note(SignIn.SUCCEEDED, name, request, user)
        update_last_login(None, user)  # type: ignore[arg-type]
        return Response(new_pair(user))


class RefreshView(DeclaredOnly):
    """The endpoint to refresh tokens."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        tags=["Auth"],
        operation_id="refreshTokens",
        summary="Get new tokens",
        request=RefreshSerializer,
        responses=TokensSerializer,
    )
    def post(self, request: Request) -> Response:
        """A refresh token can be used once. If it is used again, all tokens of the same
        sign-in end. They also end when the account is locked or deactivated or gets
        another password."""
        given = valid(RefreshSerializer(data=request.data))
        done = exchange(given["refreshToken"])
        if done.pair is None:
            _note(SignIn.FAILED, "", request, done.user, "refresh")
            raise NotSignedIn(
                _("The token is not valid or has expired; sign in again.")
            )
        _note(SignIn.SUCCEEDED, "", request, done.user, "refresh")
        return Response(done.pair)


class LogoutView(DeclaredOnly):
    """The endpoint to sign out."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        tags=["Auth"],
        operation_id="signOut",
        summary="Sign out",
        request=RefreshSerializer,
        responses={204: None},
    )
    def post(self, request: Request) -> Response:
        """End all tokens of the same sign-in as this refresh token. The response is the
        same if the token is invalid or has ended already."""
        given = valid(RefreshSerializer(data=request.data))
        if user := sign_out(given["refreshToken"]):
            note_sign_out(request=request._request, via="API", user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


def too_many_failures(seconds: int) -> Throttled:
    """Return the response if passwords aren't checked for that many seconds."""
    refused = Throttled(seconds)
    refused.detail = wait_sentence(seconds)  # type: ignore[assignment]
    return refused


def _note(
    outcome: SignIn,
    name: str,
    request: Request,
    user: User | None = None,
    via: str = "API",
) -> None:
    sender = request._request
    note_sign_in(outcome, user_name=name, request=sender, via=via, user=user)
