"""The API views of business rows: list, read, create, change, delete and restore. The
services write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from importer.api import DeclaredOnly, etag, expected_version
from importer.targets import borrowed
from platform_site.idempotency.views import repeatable
from platform_site.records import services, wire
from platform_site.records.api.filters import (
    JSON,
    RecordFilter,
    format_of,
    is_deleted,
)
from platform_site.records.api.rights import MayDo
from platform_site.records.api.zones import in_callers_zone
from platform_site.records.errors import Problem, Refusal, Stale
from platform_site.records.models import Record
from platform_site.records.table_files import table_response

# Defined here, because views have an action named `list`.
WireRows = list[dict[str, Any]]
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
        return wire.serializer_of(self.model)

    def answer(self, row: Any, code: int = status.HTTP_200_OK) -> Response:
        """Return the response with a row and its version."""
        return Response(self.on_the_wire([row])[0], status=code, headers=etag(row))

    def on_the_wire(self, rows: Iterable[Any]) -> WireRows:
        """Return rows in wire form, with one query for each part."""
        rows = [*rows]
        for part in self.model.parts:
            part.load(rows)
        with borrowed(wire.serializer_of(self.model)) as lent:
            return [dict(lent.to_representation(row)) for row in rows]


class RecordViewSet(RowViewSet):
    """The operations on rows of one model."""

    lookup_value_converter = "int"
    filter_backends = (RecordFilter,)

    def get_queryset(self) -> Any:
        """Return all rows; the filter selects among them."""
        return self.model.objects.all()

    def list(self, request: Request) -> HttpResponseBase:
        """Return a page of rows, or a file with all of them."""
        query = request.query_params.dict()
        pages: Any = self.paginator
        form = format_of(query, [pages.page_query_param, pages.page_size_query_param])
        found = self.filter_queryset(self.get_queryset())
        if form != JSON:
            return table_response(self.model, found, form)
        page = self.paginate_queryset(found)
        return self.get_paginated_response(self.on_the_wire(page or []))

    def retrieve(self, request: Request, pk: int) -> Response:
        """Return one row."""
        return self.answer(
            existing(self.model, pk, deleted=is_deleted(request.query_params))
        )

    @repeatable
    def create(self, request: Request) -> Response:
        """Create a row."""
        row = services.create_record(
            model=self.model, data=values_of(request), actor=request.user
        )
        return self.answer(row, status.HTTP_201_CREATED)

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


def existing(model: type[Record], pk: int, *, deleted: bool | None = False) -> Any:
    """Return a live row or, if requested, a deleted one; raise NotFound otherwise."""
    row = model.objects.filter(pk=pk).first()
    words = {"rows": model.catalog_name, "id": pk}
    if row is None:
        raise NotFound(_("The row %(id)s of %(rows)s doesn't exist.") % words)
    if deleted is False and row.is_deleted:
        sentence = _(
            "The row %(id)s of %(rows)s is deleted; restore it first. To read a deleted "
            "row, add deleted=true."
        )
        raise NotFound(sentence % words)
    if deleted is True and not row.is_deleted:
        sentence = _(
            "The row %(id)s of %(rows)s isn't deleted; leave out deleted=true."
        )
        raise NotFound(sentence % words)
    return row


def values_of(request: Request) -> dict[str, Any]:
    """Return the body, which must be an object."""
    if not isinstance(request.data, dict):
        raise Refusal([Problem("", _("Send the properties as one JSON object."))])
    return dict(request.data)
