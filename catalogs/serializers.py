"""The wire forms of the catalogs, with the names used in packages and the API."""

from __future__ import annotations

from typing import Any, ClassVar

from catalogs import models
from importer.targets import Applies
from platform_site.records.serializers import RecordSerializer

_CATALOG = ("id", "code", "name")
_HIERARCHICAL = ("id", "is_folder", "code", "name", "parent")
_NO_BLANK: dict[str, Any] = {"allow_blank": False}


class UnitOfMeasureSerializer(RecordSerializer):
    """A unit of measure on the wire."""

    class Meta:
        model = models.UnitOfMeasure
        fields = _CATALOG


class CurrencySerializer(RecordSerializer):
    """A currency on the wire."""

    class Meta:
        model = models.Currency
        fields = (*_CATALOG, "symbol", "minor_units")


class WarehouseSerializer(RecordSerializer):
    """A warehouse on the wire."""

    class Meta:
        model = models.Warehouse
        fields = (*_CATALOG, "address")


class ItemSerializer(RecordSerializer):
    """An item or a folder of items on the wire."""

    applies: ClassVar[dict[str, Applies]] = {
        "category": Applies("isFolder", value=False, required=True),
        "unitOfMeasureId": Applies("isFolder", value=False, required=True),
        "barcode": Applies("isFolder", value=False),
        "price": Applies("isFolder", value=False),
    }

    class Meta:
        model = models.Item
        fields = (
            *_HIERARCHICAL,
            "description",
            "category",
            "unit_of_measure",
            "barcode",
            "price",
        )
        extra_kwargs = {"category": _NO_BLANK}


class CounterpartySerializer(RecordSerializer):
    """A counterparty on the wire."""

    class Meta:
        model = models.Counterparty
        fields = (
            *_CATALOG,
            "is_customer",
            "is_supplier",
            "tax_number",
            "email",
            "phone",
            "address",
        )


class AccountSerializer(RecordSerializer):
    """An account of the ledger, or a folder of accounts, on the wire."""

    class Meta:
        model = models.Account
        fields = (*_HIERARCHICAL, "kind", "role")
        extra_kwargs = {"kind": _NO_BLANK, "role": _NO_BLANK}


class BankAccountSerializer(RecordSerializer):
    """A bank account on the wire."""

    class Meta:
        model = models.BankAccount
        fields = (*_CATALOG, "number", "bank_name", "currency")


class ConstantSerializer(RecordSerializer):
    """A constant on the wire."""

    class Meta:
        model = models.Constant
        fields = ("id", "name", "effective_date", "value")


CATALOGS: tuple[type[RecordSerializer], ...] = (
    UnitOfMeasureSerializer,
    CurrencySerializer,
    WarehouseSerializer,
    ItemSerializer,
    CounterpartySerializer,
    AccountSerializer,
    BankAccountSerializer,
)
