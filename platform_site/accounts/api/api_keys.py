"""The API of API keys: list, create, revoke and delete them. A new key is shown once."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import valid
from importer.targets import DateTimeField, ListField, StrictSerializer, TextField
from platform_site.accounts.api_keys import (
    create_api_key,
    delete_api_key,
    revoke_api_key,
)
from platform_site.accounts.models import ApiKey, User
from platform_site.api_lists import ActOnRow, FilteredList, OneRow

_MOST_SCOPES: Final = 100
_NAMES: Final = {"user": "userName", "expires_at": "expires"}


class ApiKeySerializer(serializers.ModelSerializer[ApiKey]):
    """An API key without the key itself, of which only a digest is stored."""

    prefix = serializers.CharField(source="__str__", help_text="How the key begins.")
    userName = serializers.CharField(source="user.username")
    scopes = serializers.SerializerMethodField(help_text="Empty: no restriction.")
    createdAt = serializers.DateTimeField(source="created")
    expires = serializers.DateTimeField(source="expires_at", allow_null=True)
    revokedAt = serializers.DateTimeField(source="revoked_at", allow_null=True)
    lastUsedAt = serializers.DateTimeField(source="last_used_at", allow_null=True)
    isValid = serializers.BooleanField(source="is_good")

    class Meta:
        model = ApiKey
        fields: Any = (
            "id",
            "prefix",
            "userName",
            "name",
            "scopes",
            "createdAt",
            "expires",
            "revokedAt",
            "lastUsedAt",
            "isValid",
        )

    def get_scopes(self, key: ApiKey) -> list[str]:
        """Return the scopes."""
        return key.scopes.split()


class CreatedApiKeySerializer(ApiKeySerializer):
    """A new API key."""

    key = serializers.CharField(help_text="The key; it is shown only this once.")

    class Meta(ApiKeySerializer.Meta):
        fields: Any = (*ApiKeySerializer.Meta.fields, "key")


class NewApiKeySerializer(StrictSerializer):
    """What a new API key is for."""

    userName = TextField(
        max_length=150, required=False, help_text="By default, the caller."
    )
    name = TextField(max_length=100, help_text="What the key is for.")
    scopes = ListField(
        child=TextField(max_length=100),
        required=False,
        max_length=_MOST_SCOPES,
        help_text=(
            "`read`, `write`, `import`, and names such as `Items`. Without a verb the "
            "key may read and write, without a name everywhere; empty: all that its "
            "user may do."
        ),
    )
    expires = DateTimeField(
        required=False, allow_null=True, help_text="Null: valid until it is revoked."
    )


class WhichApiKeysSerializer(StrictSerializer):
    """The query for API keys."""

    userName = TextField(source="user__username", required=False, max_length=150)
    name = TextField(required=False, max_length=100)


_KEYS: Final = ApiKey.objects.select_related("user").order_by("-created", "-id")


@extend_schema_view(
    get=extend_schema(
        tags=["ApiKeys"],
        operation_id="listApiKeys",
        summary="List API keys",
        parameters=[WhichApiKeysSerializer],
    )
)
class ApiKeysView(FilteredList):
    """The API keys, for those who may view them."""

    model = ApiKey
    rights: ClassVar[dict[str, str]] = {"POST": "add"}
    serializer_class = ApiKeySerializer
    which = WhichApiKeysSerializer
    queryset = _KEYS

    @extend_schema(
        tags=["ApiKeys"],
        operation_id="createApiKeys",
        summary="Create an API key",
        request=NewApiKeySerializer,
        responses={201: CreatedApiKeySerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a key. Administrators can create keys for every user, others only for
        themselves. The response contains the key; it can't be shown again, so an
        `Idempotency-Key` has no effect here."""
        given = valid(NewApiKeySerializer(data=request.data))
        try:
            row, text = create_api_key(
                user=_user(request, given.get("userName")),
                name=given["name"],
                expires_at=given.get("expires"),
                scopes=given.get("scopes", ()),
            )
        except DjangoValidationError as wrong:
            errors = wrong.message_dict.items()
            raise ValidationError({_NAMES.get(n, n): e for n, e in errors}) from None
        body = {**ApiKeySerializer(row).data, "key": text}
        headers = {"Location": f"{request.path}/{row.pk}", "Cache-Control": "no-store"}
        return Response(body, status.HTTP_201_CREATED, headers=headers)


@extend_schema_view(
    get=extend_schema(
        tags=["ApiKeys"], operation_id="getApiKeys", summary="Read one: API key"
    )
)
class ApiKeyView(OneRow):
    """One API key, without its secret."""

    model = ApiKey
    serializer_class = ApiKeySerializer
    queryset = _KEYS
    rights: ClassVar[dict[str, str]] = {"DELETE": "delete"}

    @extend_schema(
        tags=["ApiKeys"],
        operation_id="deleteApiKeys",
        summary="Delete one: API key",
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a key; it is no longer valid."""
        delete_api_key(key=self.row(pk))
        return Response(status=status.HTTP_204_NO_CONTENT)


class RevokedView(ActOnRow):
    """The revocation of an API key."""

    model = ApiKey
    serializer_class = ApiKeySerializer
    queryset = _KEYS
    rights: ClassVar[dict[str, str]] = {"POST": "add"}

    @extend_schema(
        tags=["ApiKeys"],
        operation_id="revokeApiKeys",
        summary="Revoke one: API key",
        request=None,
        responses=ApiKeySerializer,
    )
    def post(self, request: Request, pk: int) -> Response:
        """Revoke a key: it is no longer valid, but stays in the list. A second time
        changes nothing."""
        key = self.row(pk)
        revoke_api_key(key=key)
        return self.answer(key)


def _user(request: Request, name: str | None) -> Any:
    user = User.objects.filter(username=name or request.user.get_username()).first()
    if user is None:
        sentence = ErrorDetail(str(_("There is no user with this name.")), "not-found")
        raise ValidationError({"userName": [sentence]})
    return user
