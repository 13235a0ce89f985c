"""Every page and list that is measured: (kind, path, query)."""

from __future__ import annotations


def questions(rows, events):
    """Yield (kind, path, query) of every page and list that is measured."""
    yield from _pages()
    yield from _item_pages(rows)
    yield from _row_pages(rows)
    yield from _change_pages(events)
    yield from _import_pages()
    yield from _register_pages(events)
    yield from _api(rows, events)
    yield from _api_changes(events)
    yield from _reports()


def _last(rows, size):
    """Return the last page of a list, which counts no further than this."""
    from platform_site.database.paging import MOST

    return min(rows, MOST) // size


def _pages():
    """Yield the first page of every list, the start page and those of the system."""
    from django.contrib import admin

    yield "page", "/admin/", {}
    yield "page", "/admin/processors", {}
    for model in admin.site._registry:
        name = f"{model._meta.app_label}/{model._meta.model_name}"
        yield "page", f"/admin/{name}/", {}


def _item_pages(rows):
    items, partners = "/admin/catalogs/item/", "/admin/catalogs/counterparty/"
    for path in (items, partners):
        last = _last(rows, 50)
        yield "page", path, {"p": last // 2}
        yield "page", path, {"p": last}
        for text in ("123456", "hammer", "there is none"):
            yield "page", path, {"q": text}
        yield "page", path, {"o": "2"}
        yield "page", path, {"o": "-2", "p": last // 2}
        yield "page", path, {"deleted": "yes"}
    yield "page", items, {"folder": "7"}
    yield "page", items, {"folder": "top"}
    yield "page", items, {"folder": "7", "q": "hammer"}
    yield "page", items, {"is_folder__exact": "0"}
    yield "page", items, {"category__exact": "service"}
    yield "page", items, {"o": "5"}
    yield "page", partners, {"is_customer__exact": "1"}
    yield "page", f"{items}{rows}/change/", {}
    yield "page", f"{items}1/history/", {}
    yield "page", f"{items}1/history/", {"p": "10"}
    yield "page", f"{items}1/delete/", {}
    field = {"app_label": "documents", "model_name": "goodsissueline"}
    auto = {**field, "field_name": "item"}
    yield "page", "/admin/autocomplete/", {**auto, "term": "hammer"}
    yield "page", "/admin/autocomplete/", {**auto, "term": ""}
    yield "page", "/admin/autocomplete/", {**auto, "term": "there is none"}


def _row_pages(rows):
    """Yield the pages of one row: of those that occur often, and of one that doesn't."""
    for name, key in (
        ("catalogs/item", 1 + 250 + 777),
        ("catalogs/item", rows),
        ("catalogs/counterparty", 77),
        ("catalogs/warehouse", 1),
        ("catalogs/account", 1),
        ("catalogs/currency", 1),
        ("documents/goodsissue", 77),
        ("documents/salesorder", 77),
    ):
        for page in ("", "related/", "history/", "source/"):
            yield "page", f"/admin/{name}/{key}/{page}", {}


def _change_pages(events):
    from tests.benchmarks.big_database import BIG_RUN, MIDDLE

    path, pages = "/admin/changes/changeevent/", _last(events, 50)
    yield "page", path, {"p": pages // 20}
    yield "page", path, {"p": pages // 2}
    yield "page", path, {"p": pages}
    for query in (
        {"run_id": BIG_RUN},
        {"run_id": BIG_RUN, "p": _last(events // 4, 50)},
        {"origin__exact": "User"},
        {"origin__exact": "Scheduled job"},
        {"action__exact": "deleted"},
        {"model": "GoodsReceipts"},
        {"model": "Items", "action__exact": "deleted", "origin__exact": "User"},
        {"at__gte": f"{MIDDLE:%Y-%m-01} 00:00Z", "at__lt": f"{MIDDLE:%Y-%m-28} 00:00Z"},
        {"q": "clerk3"},
        {"q": "A-123456"},
        {"q": "hammer"},
        {"q": "there is none"},
        {"o": "1"},
        {"o": "0"},
    ):
        yield "page", path, query
    yield "page", f"{path}1000/change/", {}


def _import_pages():
    from tests.benchmarks.big_database import BIG_RUN

    path, run = "/admin/import", {"run": BIG_RUN}
    yield "page", path, {}
    yield "page", path, {"package": "benchmark-3"}
    yield "page", path, run
    yield "page", path, {**run, "page": "2500"}
    yield "page", path, {**run, "outcome": "Failed", "page": "100"}
    yield "page", path, {**run, "search": "item:12345"}
    yield "page", path, {**run, "search": "there is none"}


def _register_pages(events):
    from tests.benchmarks.big_database import MIDDLE

    documents = "/admin/documents/"
    for name in ("stockmovement", "ledgerentry"):
        path = f"{documents}{name}/"
        yield "page", path, {"p": _last(events, 50) // 2}
        yield "page", path, {"p": _last(events, 50)}
        for query in ({"date__year": f"{MIDDLE:%Y}"}, {"document_type": "GoodsIssues"}):
            yield "page", path, query
            # What the page asks for when somebody scrolls down.
            yield "report", f"{path}totals/", query
        yield "report", f"{path}totals/", {}
        yield "page", path, {"date__year": f"{MIDDLE:%Y}", "date__month": "3"}
        yield "page", path, {"document_id": "77"}
        yield "page", path, {"q": "there is none"}
        yield "page", path, {"o": "3"}
        yield "page", path, {"o": "0"}
    yield "page", f"{documents}stockmovement/", {"item__id__exact": "777"}
    yield "page", f"{documents}stockmovement/", {"warehouse__id__exact": "7"}
    yield "page", f"{documents}stockmovement/", {"q": "hammer"}
    yield "page", f"{documents}ledgerentry/", {"role__exact": "payables"}
    yield "page", f"{documents}ledgerentry/", {"counterparty__id__exact": "7"}
    yield "page", f"{documents}stockbalance/", {"stock": "yes"}
    yield "page", f"{documents}stockbalance/", {"q": "hammer"}
    yield "page", f"{documents}stockbalance/", {"p": "2"}
    for name in ("goodsreceipt", "goodsissue"):
        path = f"{documents}{name}/"
        yield "page", path, {"p": _last(events // 20, 50) // 2}
        yield "page", path, {"q": "there is none"}
        yield "page", path, {"q": "P-000007"}
        yield "page", path, {"counterparty__id__exact": "7"}
        yield "page", path, {"is_active__exact": "1"}
        yield "page", path, {"date__year": f"{MIDDLE:%Y}"}


def _api(rows, events):
    kinds = (
        "UnitsOfMeasure Currencies Warehouses Items Counterparties Accounts BankAccounts"
        " Constants SalesOrders GoodsReceipts GoodsIssues BankReceipts Files Processors"
        " Import/runs Import/packages"
    )
    for kind in kinds.split():
        yield "api", f"/api/v1/{kind}", {}
    for kind in ("Items", "Counterparties"):
        path = f"/api/v1/{kind}"
        yield "api", path, {"page": rows // 100}
        yield "api", path, {"page": rows // 50}
        yield "api", path, {"pageSize": "1"}
        yield "api", path, {"pageSize": "200"}
        yield "api", path, {"ordering": "name"}
        yield "api", path, {"ordering": "-code"}
        yield "api", path, {"code": "A-123456"}
        yield "api", path, {"deleted": "true"}
        for text in ("123456", "hammer", "there is none"):
            yield "search", path, {"search": text}
    yield "api", "/api/v1/Items", {"parentId": "7"}
    yield "api", "/api/v1/Items", {"category": "service"}
    yield "api", "/api/v1/Items", {"priceFrom": "990"}
    yield "api", "/api/v1/Items", {"unitOfMeasureId": "7"}
    yield "api", f"/api/v1/Items/{rows}", {}
    yield "api", "/api/v1/GoodsReceipts", {"dateFrom": "2025-01-01T00:00:00Z"}
    yield "api", "/api/v1/GoodsReceipts", {"counterpartyId": "7"}
    yield "api", "/api/v1/GoodsReceipts", {"page": events // 2000}
    yield "search", "/api/v1/GoodsReceipts", {"search": "there is none"}


def _api_changes(events):
    from tests.benchmarks.big_database import BIG_RUN

    path = "/api/v1/Changes"
    yield "api", path, {}
    yield "api", path, {"page": events // 1000}
    yield "api", path, {"model": "Items"}
    yield "api", path, {"model": "Items", "rowId": "1"}
    yield "api", path, {"runId": BIG_RUN}
    yield "api", f"/api/v1/Import/runs/{BIG_RUN}", {"outcome": "Failed", "limit": "50"}
    yield "api", f"/api/v1/Import/runs/{BIG_RUN}", {"offset": "125000", "limit": "50"}


def _reports():
    from tests.benchmarks.big_database import MIDDLE
    from tests.benchmarks.sql_rows import PERIOD, START

    early = f"{START + PERIOD / 50:%Y-%m-%d}"
    for moment in ("", early, f"{MIDDLE:%Y-%m-%d}", f"{MIDDLE + PERIOD / 3:%Y-%m-%d}"):
        at = {"asOf": moment} if moment else {}
        yield "report", "/api/v1/Reports/StockOnHand", at
        day = {"as_of": moment} if moment else {}
        for name in ("stock-on-hand", "ledger-balances"):
            yield "report", f"/admin/reports/{name}", day
        yield "report", "/api/v1/Reports/StockOnHand", {"warehouseId": "7", **at}
        yield "report", "/api/v1/Reports/StockOnHand", {"itemId": "777", **at}
        yield "report", "/api/v1/Reports/LedgerBalances", at
        yield "report", "/api/v1/Reports/LedgerBalances", {"role": "payables", **at}
        yield "report", "/api/v1/Reports/LedgerBalances", {"counterpartyId": "7", **at}
