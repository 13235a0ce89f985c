"""The API of users and roles: read both, and activate, deactivate or give roles to
users. Everything else is done on the pages."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import valid
from importer.targets import BooleanField, ListField, StrictSerializer, TextField
from platform_site.accounts.delegation import refuse_beyond_own
from platform_site.accounts.last_administrator import refuse_last_administrator
from platform_site.accounts.models import Role, User
from platform_site.accounts.services import update_user
from platform_site.api_lists import FilteredList, OneRow, YesOrNoField


class UserSerializer(StrictSerializer, serializers.ModelSerializer[User]):
    """A user; only `isActive` and `roles` can be changed here."""

    userName = serializers.CharField(source="username", read_only=True)
    firstName = serializers.CharField(source="first_name", read_only=True)
    lastName = serializers.CharField(source="last_name", read_only=True)
    language = serializers.CharField(read_only=True)
    timeZone = serializers.CharField(source="time_zone", read_only=True)
    isActive = BooleanField(source="is_active", required=False)
    isService = serializers.BooleanField(source="is_service", read_only=True)
    lockedUntil = serializers.DateTimeField(
        source="locked_until", read_only=True, allow_null=True
    )
    lastSignIn = serializers.DateTimeField(
        source="last_login", read_only=True, allow_null=True
    )
    createdAt = serializers.DateTimeField(source="date_joined", read_only=True)
    roles = ListField(
        child=TextField(max_length=150),
        source="role_names",
        required=False,
        help_text="The names of all roles of the user.",
    )

    # Empty for many, which is no address.
    email = serializers.CharField(read_only=True)

    class Meta:
        model = User
        fields = (
            "id",
            "userName",
            "firstName",
            "lastName",
            "email",
            "language",
            "timeZone",
            "isActive",
            "isService",
            "lockedUntil",
            "lastSignIn",
            "createdAt",
            "roles",
        )
        read_only_fields = ("id", "email")


class WhichUsersSerializer(StrictSerializer):
    """The query for users."""

    userName = TextField(source="username", required=False, max_length=150)
    role = TextField(source="groups__name", required=False, max_length=150)
    isActive = YesOrNoField(source="is_active", required=False)
    isService = YesOrNoField(source="is_service", required=False)


class RoleSerializer(serializers.ModelSerializer[Role]):
    """A role and its rights."""

    rights = serializers.SerializerMethodField(
        help_text="Such as `catalogs.view_item`."
    )

    class Meta:
        model = Role
        fields = ("id", "name", "rights")

    def get_rights(self, role: Role) -> list[str]:
        """Return the sorted rights."""
        rights = role.permissions.all()
        return sorted(
            f"{each.content_type.app_label}.{each.codename}" for each in rights
        )


class WhichRolesSerializer(StrictSerializer):
    """The query for roles."""

    name = TextField(required=False, max_length=150)


_USERS: Final = User.objects.prefetch_related("groups").order_by("username", "id")
_ROLES: Final = Role.objects.prefetch_related("permissions__content_type").order_by(
    "name", "id"
)


@extend_schema_view(
    get=extend_schema(
        tags=["Users"],
        operation_id="listUsers",
        summary="List users",
        parameters=[WhichUsersSerializer],
    )
)
class UsersView(FilteredList):
    """The users, for those who may view them."""

    model = User
    serializer_class = UserSerializer
    which = WhichUsersSerializer
    queryset = _USERS


@extend_schema_view(
    get=extend_schema(tags=["Users"], operation_id="getUsers", summary="Read one: user")
)
class UserView(OneRow):
    """One user."""

    model = User
    serializer_class = UserSerializer
    queryset = _USERS
    rights: ClassVar[dict[str, str]] = {"PATCH": "change"}

    @extend_schema(
        tags=["Users"],
        operation_id="changeUsers",
        summary="Activate or deactivate a user, or change the roles",
        request=UserSerializer,
        responses=UserSerializer,
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Change `isActive` and `roles`, by the rules of the pages: nobody gives more
        rights than their own, the licence limits the number of users, and the last
        administrator stays one."""
        with transaction.atomic():
            user = self.row(pk)
            refuse_beyond_own(user)
            serializer = UserSerializer(user, data=request.data, partial=True)
            given = valid(serializer)
            _refuse_own(request, user, given)
            if "is_active" in given:
                user.is_active = given["is_active"]
            roles = given.get("role_names")
            refuse_last_administrator(user, roles)
            update_user(user=user, roles=roles)
        return self.answer(self.row(pk))


def _refuse_own(request: Request, user: User, given: dict[str, Any]) -> None:
    """Raise ValidationError if callers would lock themselves out."""
    if user.pk == request.user.pk and given.get("is_active") is False:
        sentence = _(
            "You can't deactivate your own account; ask another administrator."
        )
        raise DjangoValidationError({"isActive": sentence})


@extend_schema_view(
    get=extend_schema(
        tags=["Roles"],
        operation_id="listRoles",
        summary="List roles",
        parameters=[WhichRolesSerializer],
    )
)
class RolesView(FilteredList):
    """The roles with their rights, for those who may view them."""

    model = Role
    serializer_class = RoleSerializer
    which = WhichRolesSerializer
    queryset = _ROLES


@extend_schema_view(
    get=extend_schema(tags=["Roles"], operation_id="getRoles", summary="Read one: role")
)
class RoleView(OneRow):
    """One role."""

    model = Role
    serializer_class = RoleSerializer
    queryset = _ROLES
