"""The API of the change history: newest first, filtered by kind, row or run, limited to
what the caller may view."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.generics import ListAPIView

from importer.api import DeclaredOnly, valid
from importer.targets import NumberField, StrictSerializer, TextField, UUIDField
from platform_site.changes.labels import recorded_models
from platform_site.changes.models import ChangeEvent

_LARGEST_KEY = 10**18 - 1


class ChangeEventSerializer(serializers.ModelSerializer[ChangeEvent]):
    """A change event: user, row, time, origin and changes."""

    user = serializers.CharField(source="user_name")
    runId = serializers.UUIDField(source="run_id", allow_null=True)
    rowId = serializers.IntegerField(source="row_id", allow_null=True)
    changes = serializers.DictField(
        child=serializers.ListField(child=serializers.JSONField(allow_null=True)),
        help_text="Each changed property: before, after.",
    )

    class Meta:
        model = ChangeEvent
        fields = (
            "at",
            "user",
            "action",
            "origin",
            "runId",
            "model",
            "rowId",
            "row",
            "changes",
        )


class WhichChangesSerializer(StrictSerializer):
    """The query for changes."""

    columns: ClassVar[dict[str, str]] = {
        "model": "model",
        "rowId": "row_id",
        "runId": "run_id",
    }
    model = TextField(
        required=False, max_length=100, help_text="Name of a catalog, such as Items."
    )
    rowId = NumberField(required=False, min_value=1, max_value=_LARGEST_KEY)
    runId = UUIDField(required=False)


@extend_schema_view(
    get=extend_schema(
        tags=["Changes"],
        operation_id="listChanges",
        summary="List changes, newest first",
        parameters=[WhichChangesSerializer],
    )
)
class ChangesView(DeclaredOnly, ListAPIView[ChangeEvent]):
    """Users see the changes of rows that they may view, administrators see all."""

    serializer_class = ChangeEventSerializer
    queryset = ChangeEvent.objects.all()

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the changes that match the query and may be viewed."""
        asked = self.request.query_params.items()
        # The others are paging parameters.
        own = {n: v for n, v in asked if n in WhichChangesSerializer.columns}
        which = valid(WhichChangesSerializer(data=own))
        columns = WhichChangesSerializer.columns
        wanted = {columns[name]: value for name, value in which.items()}
        found = queryset.filter(**wanted)
        user = self.request.user
        if not user.has_perm("changes.view_changeevent"):
            found = found.filter(model__in=viewable(user))
        return found


def viewable(user: Any) -> list[str]:
    """Return the names of the kinds of rows that a user may view."""
    return [
        name
        for name, model in recorded_models().items()
        if user.has_perm(f"{model._meta.app_label}.view_{model._meta.model_name}")
    ]


urlpatterns = [path("Changes", ChangesView.as_view())]
