"""The base of API views of rows that aren't business rows, such as users and jobs: the
right is checked first, and lists have filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db import models
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import DeclaredOnly, valid
from importer.targets import BooleanField, StrictSerializer, authorise


class YesOrNoField(BooleanField):
    """`true` or `false` in a query, where all values are texts."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the boolean."""
        return super().to_internal_value({"true": True, "false": False}.get(data, data))


class AuthorisedView(DeclaredOnly):
    """A view of rows of one model; the right is checked before any row is looked up."""

    model: ClassVar[type[models.Model]]
    # By method, unless it is the right to view.
    rights: ClassVar[Mapping[str, str]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse callers who lack the right for the method."""
        self.perform_authentication(request)
        method = str(request.method)
        # Other methods are answered 405.
        known = method in self.allowed_methods and method != "OPTIONS"
        if request.user.is_authenticated and known:
            authorise(request.user, self.model, self.rights.get(method, "view"))
        super().initial(request, *args, **kwargs)


class FilteredList(AuthorisedView, ListAPIView[Any]):
    """A list whose filters are the fields of a serializer; their sources are columns."""

    which: ClassVar[type[StrictSerializer]]

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """Return a page of rows."""
        return self.list(request)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows that match the query."""
        pages: Any = self.paginator
        paging = (pages.page_query_param, pages.page_size_query_param)
        asked = self.request.query_params.items()
        own = {name: value for name, value in asked if name not in paging}
        return queryset.filter(**valid(self.which(data=own)))


class ActOnRow(AuthorisedView, GenericAPIView[Any]):
    """The base of what is done with one row of such a list."""

    def row(self, pk: int) -> Any:
        """Return the row with a key; raise NotFound if it doesn't exist."""
        row = self.get_queryset().filter(pk=pk).first()
        if row is None:
            words = {"rows": vars(self.model).get("catalog_name", ""), "id": pk}
            raise NotFound(_("The row %(id)s of %(rows)s doesn't exist.") % words)
        return row

    def answer(self, row: Any) -> Response:
        """Return a row as it is described."""
        return Response(self.get_serializer(row).data)


class OneRow(ActOnRow):
    """One row of such a list."""

    def get(self, request: Request, pk: int) -> Response:
        """Return the row."""
        return self.answer(self.row(pk))
