"""The API of the reports, as JSON or CSV: stock on hand and ledger balances as of any
point in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from operator import attrgetter
from typing import Any, ClassVar, Final

import msgspec
from django.db import models
from django.http import HttpResponse
from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.request import Request

from catalogs.models import Account
from documents.registers.balances import ledger_balances, stock_on_hand
from documents.registers.ledger import LedgerEntry
from documents.registers.stock import StockMovement
from documents.reports.cache import answer
from importer import CSV_CONTENT_TYPE, csv_pieces
from importer.api import DeclaredOnly, valid
from importer.targets import (
    ChoiceField,
    DateTimeField,
    DecimalField,
    NumberField,
    StrictSerializer,
    authorise,
)
from platform_site.records.api.zones import ZONE_PARAMETER, in_callers_zone

_CSV: Final = "text/csv"
_LARGEST_KEY: Final = 10**18 - 1


class AsOfField(DateTimeField):
    """A point in time, or a day, which counts to its end."""

    def to_internal_value(self, value: Any) -> datetime:
        """Return the last instant that counts."""
        text = value.strip() if isinstance(value, str) else ""
        if len(text) != len("2026-01-01"):
            return super().to_internal_value(value)
        super().to_internal_value(text)  # raises if it isn't a day
        try:
            next_day = date.fromisoformat(text) + timedelta(days=1)
        except OverflowError:
            self.fail("overflow")
        return super().to_internal_value(next_day.isoformat()) - timedelta.resolution


class QuestionSerializer(StrictSerializer):
    """The parameters of every report."""

    asOf = AsOfField(
        required=False,
        help_text=(
            "A point in time, or a day, which counts to its end. Without it, everything "
            "counts."
        ),
    )
    format = ChoiceField(["json", "csv"], default="json", help_text="csv gives a file.")


class StockQuestionSerializer(QuestionSerializer):
    """The parameters of the stock report."""

    warehouseId = NumberField(required=False, min_value=1, max_value=_LARGEST_KEY)
    itemId = NumberField(required=False, min_value=1, max_value=_LARGEST_KEY)


class LedgerQuestionSerializer(QuestionSerializer):
    """The parameters of the ledger report."""

    role = ChoiceField(Account.Role.values, required=False)
    counterpartyId = NumberField(required=False, min_value=1, max_value=_LARGEST_KEY)


def _amount() -> DecimalField:
    return DecimalField(max_digits=32, decimal_places=4)


class StockRowSerializer(serializers.Serializer[Any]):
    """The stock of an item in a warehouse, with its value."""

    itemId = serializers.IntegerField(source="item_id")
    itemCode = serializers.CharField(source="item_code")
    warehouseId = serializers.IntegerField(source="warehouse_id")
    warehouseCode = serializers.CharField(source="warehouse_code")
    quantity = _amount()
    value = _amount()


class LedgerRowSerializer(serializers.Serializer[Any]):
    """Debit and credit of a role with one counterparty and currency."""

    role = serializers.ChoiceField(Account.Role.values)
    accountId = serializers.IntegerField(source="account_id", allow_null=True)
    counterpartyId = serializers.IntegerField(source="counterparty_id", allow_null=True)
    counterpartyCode = serializers.CharField(
        source="counterparty_code", allow_null=True
    )
    currencyId = serializers.IntegerField(source="currency_id")
    currencyCode = serializers.CharField(source="currency_code")
    debit = _amount()
    credit = _amount()
    balance = _amount()


class StockOnHandSerializer(serializers.Serializer[Any]):
    """The response of the stock report."""

    asOf = serializers.DateTimeField(allow_null=True)
    rows = StockRowSerializer(many=True)


class LedgerBalancesSerializer(serializers.Serializer[Any]):
    """The response of the ledger report."""

    asOf = serializers.DateTimeField(allow_null=True)
    rows = LedgerRowSerializer(many=True)


class ReportView(DeclaredOnly):
    """The view of a report on a register: cached, and rendered as JSON or CSV."""

    name: ClassVar[str]
    question: ClassVar[type[QuestionSerializer]]
    answer: ClassVar[type[serializers.Serializer[Any]]]
    row: ClassVar[type[serializers.Serializer[Any]]]
    register: ClassVar[type[models.Model]]
    ask: ClassVar[Callable[..., list[Any]]]
    # The arguments of `ask`, by query parameter.
    filters: ClassVar[dict[str, str]]

    def get(self, request: Request) -> HttpResponse:
        """Return the report if the user may view the register."""
        authorise(request.user, self.register, "view")
        in_callers_zone(request)
        given = valid(self.question(data=request.query_params.dict()))
        form, as_of = given.pop("format"), given.pop("asOf", None)
        filters = {self.filters[name]: value for name, value in given.items()}
        rows = answer(type(self).ask, as_of, **filters)
        if form == "csv":
            return _file(self.row().fields, rows, self.name)
        # A list of no rows gives the rest of the response.
        head = self.answer({"asOf": as_of, "rows": ()}).data
        body = msgspec.json.encode({**head, "rows": rows})
        return HttpResponse(body, content_type="application/json")


def _file(fields: Mapping[str, Any], rows: Sequence[Any], name: str) -> HttpResponse:
    """Return rows as a CSV file with a header line."""
    values = attrgetter(*(field.source for field in fields.values()))
    body = b"".join(csv_pieces(list(fields), map(values, rows)))
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(body, content_type=CSV_CONTENT_TYPE, headers=headers)


def _described(
    name: str, summary: str, question: type[QuestionSerializer], answer: Any
) -> Any:
    csv_file = OpenApiResponse(OpenApiTypes.STR, description="The rows as a file.")
    return extend_schema_view(
        get=extend_schema(
            tags=["Reports"],
            operation_id=f"report{name}",
            summary=summary,
            parameters=[question, ZONE_PARAMETER],
            responses={200: answer, (200, _CSV): csv_file},
        )
    )


@_described(
    "StockOnHand", "What lies in stock", StockQuestionSerializer, StockOnHandSerializer
)
class StockOnHandView(ReportView):
    """The stock on hand by item and warehouse, with its value."""

    name = "StockOnHand"
    question = StockQuestionSerializer
    answer = StockOnHandSerializer
    row = StockRowSerializer
    register = StockMovement
    ask = staticmethod(stock_on_hand)
    filters: ClassVar[dict[str, str]] = {
        "warehouseId": "warehouse_id",
        "itemId": "item_id",
    }


@_described(
    "LedgerBalances",
    "The balances of the ledger",
    LedgerQuestionSerializer,
    LedgerBalancesSerializer,
)
class LedgerBalancesView(ReportView):
    """Debit, credit and balance of each role, counterparty and currency."""

    name = "LedgerBalances"
    question = LedgerQuestionSerializer
    answer = LedgerBalancesSerializer
    row = LedgerRowSerializer
    register = LedgerEntry
    ask = staticmethod(ledger_balances)
    filters: ClassVar[dict[str, str]] = {
        "role": "role",
        "counterpartyId": "counterparty_id",
    }


def report_paths() -> list[URLPattern]:
    """Return the paths of the reports."""
    views: list[type[ReportView]] = [StockOnHandView, LedgerBalancesView]
    return [path(f"Reports/{view.name}", view.as_view()) for view in views]
