"""Fill the test database with years of work, by SQL alone.

Every table is filled by one statement that counts rows with a recursive query, which
SQLite and PostgreSQL both know; `Dialect` has what they write differently.
"""

from __future__ import annotations

import uuid

from django.db import connection

from tests.benchmarks.sql_rows import PERIOD, START, Dialect, insert

FOLDERS, UNITS, WAREHOUSES, USERS = 250, 50, 10, 20
# Items and counterparties that occur in documents.
MOVED_ITEMS, PARTNERS = 5_000, 500
LINES, PAGES_OF_SMALL_RUN = 10, 1_000
MIDDLE = START + PERIOD / 2
BIG_RUN = uuid.UUID(int=1)
# A word of eight letters at most for each sixteenth of the rows.
WORDS = [
    "hammer",
    "pipe",
    "screw",
    "nail",
    "washer",
    "cable",
    "switch",
    "lamp",
    "chair",
    "table",
    "shelf",
    "drawer",
    "hinge",
    "handle",
    "bracket",
    "gasket",
]


def fill(rows, events):
    """Fill the database: so many items and counterparties, events and movements."""
    _empty()
    _catalogs(rows)
    _documents(rows, events)
    _registers(rows, events)
    _events(rows, events)
    _runs(rows, events)
    _refresh()


def _empty():
    from catalogs.models import Account, Currency, Item
    from documents.models import StockMovement

    with connection.cursor() as cursor:
        for model in (StockMovement, Item, Currency, Account):
            cursor.execute(f"DELETE FROM {model._meta.db_table}")


def _word(number):
    width = max(map(len, WORDS))
    padded = "".join(word.ljust(width) for word in WORDS)
    return f"trim(substr('{padded}', 1 + ({number}) % {len(WORDS)} * {width}, {width}))"


def _mark(dialect, kind):
    return {
        "import_origin": "'Import'",
        "import_source": "'benchmark'",
        "import_key": f"'{kind}:' || n",
        "import_source_hash": dialect.padded("n", 64),
        "import_imported_at": dialect.moment("0"),
    }


def _catalogs(rows):
    from catalogs import models as catalogs

    dialect = Dialect()
    few = {
        catalogs.UnitOfMeasure: UNITS,
        catalogs.Warehouse: WAREHOUSES,
        catalogs.Currency: 1,
    }
    for model, count in few.items():
        insert(model, count, code="'C' || n", name="'Name ' || n")
    roles = catalogs.Account.Role.values
    for number, role in enumerate(roles):
        key, code = str(number + 1), f"'{number}'"
        insert(
            catalogs.Account,
            1,
            id=key,
            code=code,
            name=code,
            role=f"'{role}'",
            is_folder="FALSE",
        )
    folder = f"n < {FOLDERS}"
    insert(
        catalogs.Item,
        rows + FOLDERS,
        code=f"'A-' || {dialect.padded('n', 6)}",
        name=f"{_word('n')} || ' number ' || n",
        is_folder=f"CASE WHEN {folder} THEN TRUE ELSE FALSE END",
        parent_id=f"CASE WHEN {folder} THEN NULL ELSE 1 + n % {FOLDERS} END",
        category=f"CASE WHEN {folder} THEN NULL WHEN n % 10 = 0 THEN 'service'"
        " ELSE 'goods' END",
        unit_of_measure_id=f"CASE WHEN {folder} THEN NULL ELSE 1 + n % {UNITS} END",
        barcode=f"'40' || {dialect.padded('n', 11)}",
        price=dialect.amount("n % 997"),
        description=f"'What there is to say of the ' || {_word('n / 16')}",
        **_mark(dialect, "item"),
    )
    insert(
        catalogs.Counterparty,
        rows,
        code=f"'P-' || {dialect.padded('n', 6)}",
        name=f"'Partner ' || {_word('n')} || ' ' || n",
        is_customer="CASE WHEN n % 3 = 0 THEN FALSE ELSE TRUE END",
        is_supplier="CASE WHEN n % 3 = 0 THEN TRUE ELSE FALSE END",
        tax_number=dialect.padded("n", 9),
        email="'partner' || n || '@example.com'",
        phone="''",
        address=f"'Street of the ' || {_word('n / 16')}",
        **_mark(dialect, "partner"),
    )
    insert(
        catalogs.BankAccount,
        1,
        code="'B'",
        name="'Bank'",
        number="'1'",
        currency_id="1",
    )


def _documents(rows, events):
    from documents import models as documents

    dialect, each = Dialect(), max(1, events // LINES // 2)
    kinds = (
        (documents.GoodsReceipt, each, {"warehouse_id": f"1 + n % {WAREHOUSES}"}),
        (documents.GoodsIssue, each, {"warehouse_id": f"1 + n % {WAREHOUSES}"}),
        (documents.SalesOrder, each // 10 or 1, {}),
    )
    for model, count, more in kinds:
        insert(
            model,
            count,
            code=f"'{model.number_prefix}-' || {dialect.padded('n', 6)}",
            date=dialect.moment(f"1.0 * n / {count}"),
            is_active="TRUE",
            comment="''",
            total=dialect.amount("n % 997"),
            counterparty_id=f"1 + n % {min(rows, PARTNERS)}",
            currency_id="1",
            **more,
        )


def _registers(rows, events):
    from documents.models import LedgerEntry, StockBalance, StockMovement

    dialect, documents = Dialect(), events // LINES
    # Receipts and issues in turn.
    kind = "CASE WHEN {0} % 2 = 0 THEN 'GoodsReceipts' ELSE 'GoodsIssues' END"
    number = f"(n / {LINES})"
    insert(
        StockMovement,
        events,
        date=dialect.moment(f"1.0 * {number} / {documents}"),
        document_type=kind.format(number),
        document_id=f"1 + {number} / 2",
        item_id=f"{FOLDERS} + 1 + (n * 7 + {number} / 2 / {WAREHOUSES}) % {min(rows, MOVED_ITEMS)}",
        warehouse_id=f"1 + {number} / 2 % {WAREHOUSES}",
        quantity=dialect.amount(f"CASE WHEN {number} % 2 = 0 THEN 3 ELSE -2 END"),
        value=dialect.amount(f"CASE WHEN {number} % 2 = 0 THEN 30 ELSE -20 END"),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {StockBalance._meta.db_table}"
            " (item_id, warehouse_id, currency_id, quantity, value, movements)"
            " SELECT item_id, warehouse_id, 1, SUM(quantity), SUM(value), COUNT(*)"
            f" FROM {StockMovement._meta.db_table} GROUP BY item_id, warehouse_id"
        )
    # Four entries of each document: inventory and payables, receivables and sales.
    number, documents = "(n / 4)", max(1, events // 4)
    insert(
        LedgerEntry,
        events,
        date=dialect.moment(f"1.0 * {number} / {documents}"),
        document_type=kind.format(number),
        document_id=f"1 + {number} / 2 % {max(1, events // LINES // 2)}",
        role="CASE n % 4 WHEN 0 THEN 'inventory' WHEN 1 THEN 'payables'"
        " WHEN 2 THEN 'receivables' ELSE 'sales' END",
        account_id="CASE n % 4 WHEN 0 THEN 1 WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 4 END",
        counterparty_id="CASE WHEN n % 4 = 1 OR n % 4 = 2"
        f" THEN 1 + {number} % {min(rows, PARTNERS)} ELSE NULL END",
        currency_id="1",
        debit=dialect.amount("CASE WHEN n % 2 = 0 THEN 30 ELSE 0 END"),
        credit=dialect.amount("CASE WHEN n % 2 = 0 THEN 0 ELSE 30 END"),
    )


def _events(rows, events):
    """A quarter of the events is of one run, a half of small ones, a quarter of users."""
    from django.contrib.auth import get_user_model

    from platform_site.changes.models import ChangeEvent

    dialect, users = Dialect(), get_user_model()
    for number in range(USERS):
        users(username=f"clerk{number}", is_staff=True).save()
    first = users.objects.get(username="clerk0").pk
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {ChangeEvent._meta.db_table}")
    big, small = events // 4, events * 3 // 4
    user = f"CASE WHEN n % 2 = 0 THEN {first} ELSE {first} + n % {USERS} END"
    changes = """'{"name": [null, "Item number ' || n || '"], "code": [null, "A-' || n
        || '"], "price": [null, "1.25"], "unitOfMeasureId": [null, 7]}'"""
    insert(
        ChangeEvent,
        events,
        at=dialect.moment(f"1.0 * n / {events}"),
        user_id=user,
        user_name=f"'clerk' || (({user}) - {first})",
        action=f"CASE WHEN n < {small} THEN 'created' WHEN n % 50 = 0 THEN 'deleted'"
        " ELSE 'updated' END",
        origin=f"CASE WHEN n < {small} THEN 'Import' WHEN n % 9 = 0 THEN 'API key'"
        " ELSE 'User' END",
        run_id=f"CASE WHEN n < {big} THEN {dialect.run('1')} WHEN n < {small}"
        f" THEN {dialect.run(f'2 + n / {PAGES_OF_SMALL_RUN}')} ELSE NULL END",
        model="CASE WHEN n % 10 < 7 THEN 'Items' WHEN n % 10 < 9 THEN 'Counterparties'"
        " ELSE 'GoodsReceipts' END",
        # One row has a thousandth of all.
        row_id=f"CASE WHEN n % 1000 = 0 THEN 1 ELSE 2 + n % {rows} END",
        row=f"'A-' || {dialect.padded('n', 6)} || ' ' || {_word('n')}",
        changes=dialect.json(changes),
    )


def _runs(rows, events):
    """One run with an entry for each row, and small ones without entries."""
    from importer.models import ImportRun, ReportChunk
    from importer.package.item_result import ItemResult
    from importer.package.shapes import Outcome
    from importer.pipeline.report import ReportBuilder

    chunks = []
    builder = ReportBuilder(flushed=chunks.append)
    for n in range(rows):
        outcome = Outcome.FAILED if n % 33 == 0 else Outcome.INSERTED
        message = "Code: enter another value." if outcome is Outcome.FAILED else ""
        changes = {"code": [None, f"A-{n}"], "name": [None, f"Item number {n}"]}
        entry = (f"item:{n}", 1, n, "Items", outcome, message, n + 1, changes)
        builder.add(ItemResult(*entry))
    builder.flush()
    common = {"package": "benchmark", "version": 1, "origin": "import"}
    common |= {"time_zone": "UTC", "started_by_name": "admin", "status": "Completed"}
    ImportRun.objects.create(
        run_id=BIG_RUN,
        started_at=START,
        finished_at=START,
        counts=builder.counts,
        has_errors=True,
        done=rows,
        total=rows,
        **common,
    )
    ReportChunk.objects.bulk_create(
        ReportChunk(
            run_id=BIG_RUN, first=c.first, size=c.size, counts=c.counts, data=c.data
        )
        for c in chunks
    )
    for number in range(max(1, events // 2 // PAGES_OF_SMALL_RUN)):
        at = START + PERIOD * number / 1000
        named = {**common, "package": f"benchmark-{number % 20}"}
        named["started_by_name"] = f"clerk{number % USERS}"
        key = 2 + events // 4 // PAGES_OF_SMALL_RUN + number
        ImportRun.objects.create(
            run_id=uuid.UUID(int=key), started_at=at, finished_at=at, **named
        )


def _refresh():
    """Give PostgreSQL its statistics and sequences, as time does in service."""
    if connection.vendor != "postgresql":
        return
    from django.apps import apps
    from django.core.management.color import no_style

    with connection.cursor() as cursor:
        tables = [model for model in apps.get_models() if model._meta.managed]
        for sql in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(sql)
        cursor.execute("VACUUM ANALYZE")
