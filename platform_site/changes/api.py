"""The API of the change history, limited to what the caller may view: newest first, or
as a feed that continues after an event."""

from __future__ import annotations

import re
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.utils import (
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import DeclaredOnly, valid
from importer.targets import (
    ChoiceField,
    NumberField,
    StrictSerializer,
    TextField,
    UUIDField,
)
from platform_site.changes.archived import refuse_archived
from platform_site.changes.context import ChangeOrigin
from platform_site.changes.feed import end_of_feed
from platform_site.changes.labels import recorded_models
from platform_site.changes.models import ChangeEvent

LATEST: Final = "latest"
_LARGEST_KEY = 10**18 - 1
_POSITION: Final = f"^([0-9]{{1,18}}|{LATEST})$"
_USUAL_LIMIT: Final = 100
_LARGEST_LIMIT: Final = 1000


class ChangeEventSerializer(serializers.ModelSerializer[ChangeEvent]):
    """A change event: user, row, time, origin and changes."""

    user = serializers.CharField(source="user_name")
    userId = serializers.IntegerField(source="user_id", allow_null=True)
    runId = serializers.UUIDField(source="run_id", allow_null=True)
    rowId = serializers.IntegerField(source="row_id", allow_null=True)
    changes = serializers.DictField(
        child=serializers.ListField(child=serializers.JSONField(allow_null=True)),
        help_text="Each changed property: before, after.",
    )

    class Meta:
        model = ChangeEvent
        fields = (
            "id",
            "at",
            "user",
            "userId",
            "action",
            "origin",
            "runId",
            "model",
            "rowId",
            "row",
            "changes",
        )


@extend_schema_field({"type": "string", "pattern": _POSITION})
class FeedPositionField(TextField):
    """A position in the feed: the id of an event, or `latest`."""

    def to_internal_value(self, data: Any) -> int | str:  # type: ignore[override]
        """Return the id, or the word."""
        text = super().to_internal_value(data)
        if text == LATEST:
            return text
        if not re.fullmatch(_POSITION, text):
            sentence = _("Enter the id of a change, 0 or “%s”.") % LATEST
            raise ValidationError([ErrorDetail(sentence, "not-a-number")])
        return int(text)


class WhichChangesSerializer(StrictSerializer):
    """The query for changes."""

    model = TextField(
        required=False, max_length=100, help_text="Name of a catalog, such as Items."
    )
    rowId = NumberField(
        source="row_id", required=False, min_value=1, max_value=_LARGEST_KEY
    )
    runId = UUIDField(source="run_id", required=False)
    userId = NumberField(
        source="user_id", required=False, min_value=1, max_value=_LARGEST_KEY
    )
    origin = ChoiceField(choices=ChangeOrigin.values, required=False)
    action = ChoiceField(choices=ChangeEvent.Action.values, required=False)
    after = FeedPositionField(
        required=False,
        help_text=(
            "Only changes after this one, oldest first; `0` for all, `latest` for the "
            "current end of the feed."
        ),
    )
    limit = NumberField(
        required=False,
        min_value=1,
        max_value=_LARGEST_LIMIT,
        help_text=(
            f"How many changes at most, {_USUAL_LIMIT} by default; without `after` the "
            "same as `pageSize`."
        ),
    )


@extend_schema_serializer(many=False)
class ChangesSerializer(serializers.Serializer[Any]):
    """A page of changes; `count` and `previous` only without `after`."""

    count = serializers.IntegerField(required=False)
    next = extend_schema_field(
        {
            "oneOf": [{"type": "string", "format": "uri"}, {"type": "integer"}],
            "nullable": True,
            "description": (
                "With `after`: the position to continue from. Otherwise the address "
                "of the next page."
            ),
        }
    )(serializers.JSONField)()
    previous = serializers.URLField(required=False, allow_null=True)
    results = ChangeEventSerializer(many=True)


@extend_schema_view(
    get=extend_schema(
        tags=["Changes"],
        operation_id="listChanges",
        summary="List changes, newest first, or follow them",
        parameters=[WhichChangesSerializer],
        responses=ChangesSerializer,
    )
)
class ChangesView(DeclaredOnly, ListAPIView[ChangeEvent]):
    """Users see the changes of rows that they may view, administrators see all."""

    serializer_class = ChangeEventSerializer
    queryset = ChangeEvent.objects.all()
    which: dict[str, Any]

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the newest changes, or with `after` those that followed one.

        To follow all changes, repeat the request with `after` set to the `next` of the
        last response. Ids grow in the order in which changes become visible, so
        nothing is missed.
        """
        paging: Any = self.paginator
        names = (paging.page_query_param, paging.page_size_query_param)
        query = request.query_params
        pages = [name for name in names if name in query]
        asked = {name: query[name] for name in query if name not in names}
        which = dict(valid(WhichChangesSerializer(data=asked)))
        after, limit = which.pop("after", None), which.pop("limit", None)
        self.which = which
        if after is None:
            if limit is not None:
                _refuse(pages[-1:] if names[1] in pages else [])
                paging.page_size = limit
            return self.list(request)
        _refuse(pages)
        return self._following(after, limit or _USUAL_LIMIT)

    def _following(self, after: int | str, limit: int) -> Response:
        end = end_of_feed()
        if after == LATEST:
            return Response({"results": [], "next": end})
        position = int(after)
        if position > end:
            _refuse_unknown(position)
        rows = self.filter_queryset(self.get_queryset())
        found = list(rows.filter(id__gt=position, id__lte=end).order_by("id")[:limit])
        refuse_archived(position)
        # Past those that the caller may not see, so that a reader never stands still.
        following = found[-1].pk if len(found) == limit else max(position, end)
        shown = self.get_serializer(found, many=True).data
        return Response({"results": shown, "next": following})

    def filter_queryset(self, queryset: Any) -> QuerySet[Any]:
        """Return the changes that match the query and may be viewed."""
        which = dict(self.which)
        run_id = which.pop("run_id", None)
        found: QuerySet[Any] = queryset if run_id is None else queryset.of_run(run_id)
        found = found.filter(**which)
        user = self.request.user
        if not user.has_perm("changes.view_changeevent"):
            found = found.filter(model__in=viewable(user))
        return found


def _refuse(paging: list[str]) -> None:
    """Raise ValidationError for parameters of pages, which the feed doesn't have."""
    if paging:
        sentence = _("Use limit, or leave out limit and after to get pages.")
        raise ValidationError({name: [sentence] for name in paging})


def _refuse_unknown(position: int) -> None:
    """Raise ValidationError for a position that the history hasn't reached."""
    if not ChangeEvent.objects.filter(id__gte=position).exists():
        sentence = _(
            "No change has this id yet. If the database was restored from a backup, "
            "read all rows again and continue from after=%s."
        )
        raise ValidationError({"after": [sentence % LATEST]})


def viewable(user: Any) -> list[str]:
    """Return the names of the kinds of rows that a user may view."""
    return [
        name
        for name, model in recorded_models().items()
        if user.has_perm(f"{model._meta.app_label}.view_{model._meta.model_name}")
    ]


urlpatterns = [path("Changes", ChangesView.as_view())]
