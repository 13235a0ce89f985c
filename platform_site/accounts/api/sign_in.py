"""Sign in with a name and a password, and stay signed in with refresh tokens: whoever
may do neither hears the same, whatever the reason (OPEN-113)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth import authenticate
from django.contrib.auth.models import update_last_login
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException, Throttled
from rest_framework.permissions import AllowAny
from rest_framework.response import Response

from importer.api.declared import DeclaredOnly
from importer.strict import StrictSerializer
from importer.wire_fields import TextField
from platform_site.accounts import throttling
from platform_site.accounts.models import User
from platform_site.accounts.tokens import exchange, new_pair

if TYPE_CHECKING:
    from rest_framework.request import Request

# Longer ones cost time to hash and are nobody's.
LONGEST_PASSWORD = 1000
_LONGEST_TOKEN = 10_000


class LoginSerializer(StrictSerializer):
    """Who signs in."""

    userName = TextField(max_length=150)
    password = TextField(max_length=LONGEST_PASSWORD, trim_whitespace=False)


class RefreshSerializer(StrictSerializer):
    """What a pair of tokens is exchanged for: good once."""

    refreshToken = TextField(max_length=_LONGEST_TOKEN)


class TokensSerializer(serializers.Serializer[Any]):
    """A token to send with each call, and one to get the next pair with."""

    token = serializers.CharField()
    refreshToken = serializers.CharField()
    expires = serializers.DateTimeField()
    refreshExpires = serializers.DateTimeField()


class NotSignedIn(APIException):
    """Answer 401 where nobody is signed in yet."""

    status_code = 401
    default_code = "not_signed_in"
    auth_header = 'Bearer realm="api"'


class LoginView(DeclaredOnly):
    """Sign in."""

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
        """Send the token as `Authorization: Bearer …` from then on. After too many
        failures with a name or from an address there is a pause.
        """
        asked_at = timezone.now()
        given = _valid(LoginSerializer(data=request.data))
        name, sender = given["userName"], request._request
        if wait := throttling.seconds_to_wait(sender, name):
            raise too_many_failures(wait)
        user = authenticate(sender, username=name, password=given["password"])
        if not isinstance(user, User):
            raise NotSignedIn(_("The user name or the password is wrong."))
        update_last_login(None, user)  # type: ignore[arg-type]
        return Response(new_pair(user, asked_at=asked_at))


class RefreshView(DeclaredOnly):
    """Stay signed in."""

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
        """A refresh token is good once; another password, a lock or a deactivation of
        the account ends it at once.
        """
        asked_at = timezone.now()
        given = _valid(RefreshSerializer(data=request.data))
        user = exchange(given["refreshToken"])
        if user is None:
            raise NotSignedIn(_("The token is not valid (any more); sign in again."))
        return Response(new_pair(user, asked_at=asked_at))


def too_many_failures(seconds: int) -> Throttled:
    """Return what refuses a password unseen for that many seconds."""
    text = _("Too many wrong passwords; try again in %(seconds)d seconds.")
    refused = Throttled(seconds)
    refused.detail = text % {"seconds": seconds}  # type: ignore[assignment]
    return refused


def _valid(serializer: Any) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    valid: dict[str, Any] = serializer.validated_data
    return valid
