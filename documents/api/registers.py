"""The API of the registers: read-only lists of stock movements and ledger entries, newest
first. Only posting writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.generics import ListAPIView
from rest_framework.request import Request

from catalogs.models import Account
from documents.registers.ledger import LedgerEntry
from documents.registers.register import Register
from documents.registers.stock import StockMovement
from documents.serializers import MODELS
from importer.targets import ChoiceField, WireSerializer, naming
from platform_site.api_lists import AuthorisedView
from platform_site.records.api.filters import FORMAT, FORMATS, JSON, ORDERING, format_of
from platform_site.records.api.paging import RowPages
from platform_site.records.api.properties import Property, properties_of_fields
from platform_site.records.api.zones import ZONE_PARAMETER, in_callers_zone
from platform_site.records.table_files import XLSX_CONTENT_TYPE, file_response
from platform_site.records.tables import cells, columns_of_fields

# In another order every row of the register would be sorted for a page.
_ORDERS: Final = {
    "-date": ("-date", "-id"),
    "date": ("date", "id"),
    "-id": ("-id",),
    "id": ("id",),
}


class RegisterSerializer(WireSerializer):
    """The base of register rows on the wire."""

    documentType = ChoiceField(list(MODELS), source="document_type")


class StockMovementSerializer(RegisterSerializer):
    """The stock change of one line of a posted document."""

    class Meta:
        model = StockMovement
        fields = (
            "id",
            "date",
            "documentType",
            "document_id",
            "item",
            "warehouse",
            "quantity",
            "value",
        )


class LedgerEntrySerializer(RegisterSerializer):
    """One side of a posting of a posted document."""

    role = ChoiceField(Account.Role.values)

    class Meta:
        model = LedgerEntry
        fields = (
            "id",
            "date",
            "documentType",
            "document_id",
            "role",
            "account",
            "counterparty",
            "currency",
            "debit",
            "credit",
        )


class RegisterFilter(BaseFilterBackend):
    """The query of a register: its properties with their ranges, and the order."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """Return the matching rows in order; ValidationError names wrong parameters."""
        query = request.query_params.dict()
        errors: dict[str, Any] = {}
        for each in _properties(view):
            if each.name in query:
                try:
                    queryset = queryset.filter(
                        each.condition(query[each.name], request.user)
                    )
                except ValidationError as wrong:
                    errors[each.name] = naming(wrong.detail, query[each.name])
        order = _ORDERS.get(query.get(ORDERING, "-date"))
        if order is None:
            errors[ORDERING] = [_("Order by one of: %s.") % ", ".join(_ORDERS)]
        if errors or order is None:
            raise ValidationError(errors)
        return queryset.order_by(*order)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the OpenAPI parameters."""
        orders = {"type": "string", "enum": list(_ORDERS), "default": "-date"}
        formats = {"type": "string", "enum": FORMATS, "default": JSON}
        return [
            _parameter(ORDERING, orders, "The order; a minus turns it round."),
            _parameter(
                FORMAT, formats, "csv and xlsx give a file with the rows of all pages."
            ),
            *(_parameter(p.name, p.schema, p.help) for p in _properties(view)),
        ]


class RegisterView(AuthorisedView, ListAPIView[Any]):
    """The rows of one register, for users who may view it."""

    model: ClassVar[type[Register]]
    filter_backends = (RegisterFilter,)
    pagination_class = RowPages

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the right first, and activate the caller's time zone."""
        super().initial(request, *args, **kwargs)
        in_callers_zone(request)

    def get_queryset(self) -> QuerySet[Any]:
        """Return all rows of the register."""
        return self.model._default_manager.all()

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """Return a page of rows, or a file with all of them."""
        form = format_of(request.query_params.dict())
        if form == JSON:
            return self.list(request)
        return self._file(self.filter_queryset(self.get_queryset()), form)

    def _file(self, rows: QuerySet[Any], form: str) -> HttpResponseBase:
        serializer: Any = self.get_serializer()
        columns = columns_of_fields(serializer.fields)

        def on_the_wire(window: Iterable[Any]) -> list[dict[str, Any]]:
            return [serializer.to_representation(row) for row in window]

        name = f"{vars(self.model)['list_name']}.{form}"
        return file_response(
            name, columns, cells(columns, rows, on_the_wire), marked=False
        )


def _properties(view: Any) -> tuple[Property, ...]:
    return properties_of_fields(view.serializer_class().fields)


def _parameter(name: str, schema: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": text, "schema": dict(schema)}


def _view_of(serializer: type[RegisterSerializer]) -> type[RegisterView]:
    model: Any = serializer.Meta.model
    name = model.list_name
    made: Any = type(
        f"{name}View", (RegisterView,), {"model": model, "serializer_class": serializer}
    )
    files = {
        (200, kind): OpenApiResponse(
            content, description="With `format`: the rows of all pages as a file."
        )
        for kind, content in (
            ("text/csv", OpenApiTypes.STR),
            (XLSX_CONTENT_TYPE, OpenApiTypes.BINARY),
        )
    }
    view: type[RegisterView] = extend_schema_view(
        get=extend_schema(
            tags=[name],
            operation_id=f"list{name}",
            summary=f"List {model._meta.verbose_name_plural}",
            parameters=[ZONE_PARAMETER],
            responses={200: serializer(many=True), **files},
        )
    )(made)
    return view


def register_paths() -> list[URLPattern]:
    """Return the paths of the registers."""
    registers = (StockMovementSerializer, LedgerEntrySerializer)
    return [
        path(vars(each.Meta.model)["list_name"], _view_of(each).as_view())
        for each in registers
    ]
