"""The API views of business rows: list, read, create, change, delete and restore. The
services write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.http import HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from importer.api import DeclaredOnly, etag, expected_version, is_known
from platform_site.idempotency.views import repeatable
from platform_site.records import services, wire
from platform_site.records.api.answers import answer_serializer, on_the_wire
from platform_site.records.api.existing import existing
from platform_site.records.api.expansion import EXPAND, asked_for, expand
from platform_site.records.api.filters import (
    JSON,
    RecordFilter,
    format_of,
    is_deleted,
)
from platform_site.records.api.paging import RowPages
from platform_site.records.api.rights import MayDo
from platform_site.records.api.zones import HEADER as ZONE_HEADER, in_callers_zone
from platform_site.records.errors import Problem, Refusal, Stale
from platform_site.records.models import Record
from platform_site.records.table_files import table_response

# How often a write without a version is repeated if another was faster.
_TRIES = 20


class RowViewSet(DeclaredOnly, GenericViewSet[Any]):
    """The permissions and responses for rows of one model."""

    model: ClassVar[type[Record]]
    # The rights of actions that only some kinds of rows have.
    rights: ClassVar[dict[str, str]] = {}
    # The actions that return a row, for which their own right doesn't suffice.
    shown: ClassVar[frozenset[str]] = frozenset()
    permission_classes = (MayDo,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Activate the caller's time zone for dates without a time (OPEN-28)."""
        super().initial(request, *args, **kwargs)
        in_callers_zone(request)

    def get_serializer_class(self) -> Any:
        """Return the serializer, for the documentation."""
        return answer_serializer(self.model)

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Return the headers of all responses: times are in the caller's zone."""
        return {**super().default_response_headers, "Vary": ZONE_HEADER}

    def answer(self, row: Any) -> Response:
        """Return the response with a row and its version."""
        return Response(on_the_wire(self.model, [row])[0], headers=etag(row))

    def created(self, row: Any) -> Response:
        """Return the response with a new row, its version and its path."""
        answer = self.answer(row)
        answer.status_code = status.HTTP_201_CREATED
        answer["Location"] = reverse(f"{self.model.catalog_name}-detail", args=[row.pk])
        return answer


class RecordViewSet(RowViewSet):
    """The operations on rows of one model."""

    lookup_value_converter = "int"
    filter_backends = (RecordFilter,)
    pagination_class = RowPages

    def get_queryset(self) -> Any:
        """Return all rows; the filter selects among them."""
        return self.model.objects.all()

    def list(self, request: Request) -> HttpResponseBase:
        """Return a page of rows, or a file with all of them."""
        query = request.query_params.dict()
        form = format_of(query)
        references = asked_for(self.model, query.get(EXPAND), request.user)
        found = self.filter_queryset(self.get_queryset())
        if form != JSON:
            return table_response(self.model, found, form)
        rows = on_the_wire(self.model, self.paginate_queryset(found) or [])
        expand(rows, references)
        return self.get_paginated_response(rows)

    def retrieve(self, request: Request, pk: int) -> HttpResponseBase:
        """Return one row, unless the caller has its present version."""
        query = request.query_params
        references = asked_for(self.model, query.get(EXPAND), request.user)
        row = existing(self.model, pk, deleted=is_deleted(query))
        if references:
            # No tag: other rows change what is expanded.
            rows = on_the_wire(self.model, [row])
            expand(rows, references)
            return Response(rows[0])
        if is_known(request, row):
            return HttpResponseNotModified(headers=etag(row))
        return self.answer(row)

    @repeatable
    def create(self, request: Request) -> Response:
        """Create a row."""
        row = services.create_record(
            model=self.model, data=values_of(request), actor=request.user
        )
        return self.created(row)

    def update(self, request: Request, pk: int) -> Response:
        """Replace a row. Properties that are not given get the values of a new row."""
        values = wire.whole(self.model, values_of(request))
        return self._change(request, pk, values)

    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the given properties of a row."""
        return self._change(request, pk, values_of(request))

    def destroy(self, request: Request, pk: int) -> Response:
        """Soft-delete a row."""

        def delete(row: Any, version: int | None) -> Any:
            return services.delete_record(
                row=row, actor=request.user, expected_version=version
            )

        self.written(request, pk, delete)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @action(detail=True, methods=["post"])
    @repeatable
    def restore(self, request: Request, pk: int) -> Response:
        """Restore a deleted row. A live row is not changed."""

        def restore(row: Any, version: int | None) -> Any:
            return services.restore_record(row=row, actor=request.user)

        return self.answer(self.written(request, pk, restore, deleted=None))

    def _change(self, request: Request, pk: int, values: dict[str, Any]) -> Response:
        def change(row: Any, version: int | None) -> Any:
            return services.update_record(
                row=row, data=values, actor=request.user, expected_version=version
            )

        return self.answer(self.written(request, pk, change))

    def written(
        self,
        request: Request,
        pk: int,
        write: Callable[[Any, int | None], Any],
        *,
        deleted: bool | None = False,
    ) -> Any:
        """Write a row at the version the caller expects and return it.

        Without an expected version the last write wins: it is repeated if another was
        faster.
        """
        for _attempt in range(_TRIES):
            row = existing(self.model, pk, deleted=deleted)
            version = expected_version(request, row)
            try:
                return write(row, version)
            except Stale as stale:
                if version is not None:
                    stale.version = existing(self.model, pk, deleted=None).version
                    raise
        raise Stale


def values_of(request: Request) -> dict[str, Any]:
    """Return the body, which must be an object."""
    if not isinstance(request.data, dict):
        raise Refusal([Problem("", _("Send the properties as one JSON object."))])
    return dict(request.data)
