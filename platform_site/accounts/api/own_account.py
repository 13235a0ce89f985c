"""The API of the user's own account: read it, change personal data, and change the
password."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import DeclaredOnly, valid
from importer.targets import EmailField, StrictSerializer, TextField
from platform_site.accounts.api.sign_in import LONGEST_PASSWORD, too_many_failures
from platform_site.accounts.models import User
from platform_site.accounts.own_password import is_own_password
from platform_site.accounts.services import set_password, update_user
from platform_site.accounts.throttling import TooManyAttempts
from platform_site.accounts.time_zones import validate_time_zone


class OwnAccountSerializer(StrictSerializer, serializers.ModelSerializer[User]):
    """An account as its owner sees it."""

    userName = serializers.CharField(source="username", read_only=True)
    name = serializers.SerializerMethodField(help_text="The full name, if known.")
    firstName = TextField(
        source="first_name", max_length=150, allow_blank=True, required=False
    )
    lastName = TextField(
        source="last_name", max_length=150, allow_blank=True, required=False
    )
    email = EmailField(max_length=254, allow_blank=True, required=False)
    language = TextField(
        max_length=10,
        allow_blank=True,
        required=False,
        help_text="Such as en. Empty: the language of the browser.",
    )
    timeZone = TextField(
        source="time_zone",
        max_length=64,
        allow_blank=True,
        required=False,
        validators=[validate_time_zone],
        help_text="An IANA name. Empty: the time zone of the installation.",
    )
    roles = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = (
            "userName",
            "name",
            "firstName",
            "lastName",
            "email",
            "language",
            "timeZone",
            "roles",
        )

    def validate_language(self, code: str) -> str:
        """Refuse a language that the platform doesn't have."""
        if code and code not in dict(settings.LANGUAGES):
            raise serializers.ValidationError(_("Unknown language."))
        return code

    def get_name(self, user: User) -> str:
        """Return the full name, or the user name."""
        return user.get_full_name() or user.username

    def get_roles(self, user: User) -> list[str]:
        """Return the sorted names of the roles."""
        return sorted(user.groups.values_list("name", flat=True))


class ChangePasswordSerializer(StrictSerializer):
    """The current and the new password."""

    _any: ClassVar[dict[str, Any]] = {"trim_whitespace": False}
    oldPassword = TextField(max_length=LONGEST_PASSWORD, **_any)
    newPassword = TextField(max_length=LONGEST_PASSWORD, **_any)


class AccountView(DeclaredOnly):
    """The user's own account."""

    @extend_schema(
        tags=["Account"],
        operation_id="getAccount",
        summary="Read one's own account",
        responses=OwnAccountSerializer,
    )
    def get(self, request: Request) -> Response:
        """Return the account of the caller, with its roles."""
        return Response(OwnAccountSerializer(_own(request)).data)

    @extend_schema(
        tags=["Account"],
        operation_id="changeAccount",
        summary="Change one's own account",
        request=OwnAccountSerializer,
        responses=OwnAccountSerializer,
    )
    def patch(self, request: Request) -> Response:
        """Change names, email address, language and time zone. Roles can't be changed
        here."""
        user = _own(request)
        given = valid(OwnAccountSerializer(user, data=request.data, partial=True))
        for column, value in given.items():
            setattr(user, column, value)
        update_user(user=user)
        return Response(OwnAccountSerializer(user).data)


class ChangePasswordView(DeclaredOnly):
    """The user's own password."""

    @extend_schema(
        tags=["Account"],
        operation_id="changePassword",
        summary="Change one's own password",
        request=ChangePasswordSerializer,
        responses={204: None},
    )
    def post(self, request: Request) -> Response:
        """Change the password. This ends every token and session of the account; sign
        in again afterwards."""
        given = valid(ChangePasswordSerializer(data=request.data))
        user = _own(request)
        _check_old(user, given["oldPassword"])
        try:
            validate_password(given["newPassword"], user)
        except DjangoValidationError as weak:
            raise ValidationError({"newPassword": weak.messages}) from None
        set_password(user=user, password=given["newPassword"])
        return Response(status=status.HTTP_204_NO_CONTENT)


def _check_old(user: User, password: str) -> None:
    """Raise an error unless the password is right; wrong ones count as at sign-in."""
    try:
        right = is_own_password(user, password)
    except TooManyAttempts as refused:
        raise too_many_failures(refused.seconds) from None
    if not right:
        message = _("This isn't your current password.")
        raise ValidationError({"oldPassword": [message]})


def _own(request: Request) -> User:
    """Return the caller's account, freshly loaded."""
    return User.objects.get(username=request.user.get_username())
