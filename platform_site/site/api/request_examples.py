"""Examples of requests for the description of the API, by the operation. A test sends
each of them to an installation with the demo company."""

from __future__ import annotations

from typing import Any, Final

_SOURCE: Final[dict[str, Any]] = {
    "name": "supplier_prices",
    "target": "Items",
    "kind": "dictionary",
    "format": "csv",
    "delimiter": ";",
    "columns": [
        {"column": "Article", "property": "code"},
        {"column": "Name", "property": "name"},
        {"column": "Price", "property": "price"},
        {"property": "isFolder", "default": "false"},
        {"property": "category", "default": "goods"},
        {"property": "unitOfMeasureId", "lookup": "code", "default": "pcs"},
    ],
    "key": ["code"],
    "match": ["code"],
}
_PARTY: Final = {"$code": "C11"}
_LINES: Final = [{"itemId": {"$code": "40100"}, "quantity": 2, "price": "1.90"}]
_TRADE: Final[dict[str, Any]] = {
    "date": "2026-07-01T09:30:00Z",
    "counterpartyId": _PARTY,
    "warehouseId": {"$code": "MAIN"},
    "currencyId": {"$code": "EUR"},
    "lines": _LINES,
}
_ROWS: Final[dict[str, dict[str, Any]]] = {
    "UnitsOfMeasure": {"code": "pallet", "name": "Pallet"},
    "Currencies": {"code": "SEK", "name": "Swedish krona", "minorUnits": 2},
    "Warehouses": {"code": "EAST", "name": "East", "address": "3 Weir Lane"},
    "Items": {
        "isFolder": False,
        "code": "A-100",
        "name": "Garden spade",
        "category": "goods",
        "unitOfMeasureId": {"$code": "pcs"},
        "price": "12.90",
    },
    "Counterparties": {"code": "W-1001", "name": "Oakfield Tools", "isCustomer": True},
    "Accounts": {"isFolder": False, "code": "5999", "name": "Other", "kind": "expense"},
    "BankAccounts": {
        "code": "BA-2",
        "name": "Second account",
        "currencyId": {"$code": "EUR"},
    },
    "Constants": {"name": "VatRate", "effectiveDate": "2026-07-01", "value": "20"},
    "SalesOrders": {**_TRADE, "dueDate": "2026-07-15"},
    "GoodsReceipts": _TRADE,
    "GoodsIssues": _TRADE,
    "BankReceipts": {
        "date": "2026-07-01T09:30:00Z",
        "bankAccountId": {"$code": "BA-EUR"},
        "counterpartyId": _PARTY,
        "isIncome": True,
        "amount": "25.80",
    },
}
REQUESTS: Final[dict[str, Any]] = {
    **{f"create{name}": row for name, row in _ROWS.items()},
    **{f"replace{name}": row for name, row in _ROWS.items()},
    "signIn": {"userName": "emma", "password": "a long pass phrase"},
    "changeAccount": {"language": "de", "timeZone": "Europe/Berlin"},
    "changePassword": {
        "oldPassword": "a long pass phrase",
        "newPassword": "another long pass phrase",
    },
    "createApiKeys": {"name": "Web shop", "scopes": ["read", "write", "Items"]},
    "createWebhooks": {
        "url": "https://shop.example/events",
        "events": ["record.changed", "run.finished"],
        "models": ["Items"],
    },
    "changeWebhooks": {"enabled": False},
    "changeUsers": {"isActive": True, "roles": ["employee"]},
    "executeRecalculateCosts": {"from": "2026-01-01", "to": "2026-12-31"},
    "createImportSources": _SOURCE,
    "changeImportSources": {"delimiter": ",", "enabled": False},
}
