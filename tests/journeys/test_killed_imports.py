"""Imports of posted documents that are killed at random moments: repeated, they leave what
an uninterrupted run leaves, and the killed run tells all that it wrote.

``DRILL_KILLS=100`` sets how many are killed on each database, in the suite three.
"""

from __future__ import annotations

import json
import random
import signal
import sys
from contextlib import ExitStack
from itertools import count

import pytest

from tests.builders import a_package, code, ref
from tests.drill import times
from tests.environment import asked
from tests.journeys.installation import (
    BOTH,
    LIMIT_SECONDS,
    SqliteInstallation,
    installed,
    wait_until,
)
from tests.journeys.test_import_crash import free

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform == "win32", reason="There is no kill -9."),
]
KILLS = int(asked("DRILL_KILLS") or times(few=3, many=100))
# In one installation: more documents a month need a licence.
A_ROUND = 4
TRADES = 40
CATALOGS = 5


@pytest.fixture(params=BOTH)
def fresh(request, tmp_path):
    """Return a function that makes an installation; without a licence one takes few
    documents."""
    numbers = count()

    def make():
        data = tmp_path / f"data-{next(numbers)}"
        one = made.enter_context(installed(request.param, data))
        euro = a_package("kill.all").with_step("Currencies")
        euro.item("c", code="EUR", name="Euro")
        done = one.command("import_package", euro.as_file(tmp_path / "all.json"))
        assert done.returncode == 0, done.stdout
        return one

    with ExitStack() as made:
        yield make


def trading(name):
    """Return a package of a company of its own: receipts, orders, issues, payments."""

    def day(number):
        return f"2026-03-{1 + number % 28:02}T12:00:00Z"

    own = {
        "counterpartyId": ref("p"),
        "currencyId": code("EUR"),
        "warehouseId": ref("w"),
    }
    built = a_package(f"kill.{name}").with_step("UnitsOfMeasure").unit("u", f"{name}-u")
    built.with_step("Warehouses").item("w", code=f"{name}-w", name="Main")
    built.with_step("Counterparties").item("p", code=f"{name}-p", name="Partner")
    built.with_step("Items").goods("i", f"{name}-i", ref("u"))
    built.with_step("BankAccounts")
    built.item("b", code=f"{name}-b", name="Bank", currencyId=code("EUR"))
    built.documents("GoodsReceipts", submit=True)
    for number in range(TRADES):
        line = {"itemId": ref("i"), "quantity": "5", "price": f"{1 + number}.50"}
        built.item(f"r{number}", **own, date=day(0), lines=[line])
    built.documents("SalesOrders")
    for number in range(TRADES):
        line = {"itemId": ref("i"), "quantity": "3", "price": "90"}
        built.item(f"o{number}", **own, date=day(number), lines=[line])
    built.created("GoodsIssues", "SalesOrders", submit=True)
    for number in range(TRADES):
        source = {"$source": ref(f"o{number}")}
        built.item(f"g{number}", **source, date=day(number))
    built.created("BankReceipts", "GoodsIssues", submit=True)
    for number in range(TRADES):
        source = {"$source": ref(f"g{number}")}
        built.item(f"b{number}", **source, date=day(28), bankAccountId=ref("b"))
    return built


TOTAL = CATALOGS + 4 * TRADES
_CATALOGS = ("unitofmeasure", "warehouse", "counterparty", "item", "bankaccount")
_DOCUMENTS = ("goodsreceipt", "salesorder", "goodsissue", "bankreceipt")


def content(installation, name):
    """Return what a package left: documents, movements and ledger entries."""
    found = []
    for kind in _DOCUMENTS:
        amount = "amount" if kind == "bankreceipt" else "total"
        found += installation.rows(
            f'SELECT "Import_Key", is_active, {amount}, version FROM documents_{kind} '
            f"WHERE \"Import_Source\" = 'kill.{name}' AND NOT is_deleted ORDER BY 1"
        )
    found += installation.rows(
        "SELECT m.date, m.document_type, m.quantity, m.value "
        "FROM documents_stockmovement m "
        "JOIN catalogs_warehouse w ON w.id = m.warehouse_id "
        f"WHERE w.code = '{name}-w' ORDER BY 1, 2, 3, 4"
    )
    found += installation.rows(
        "SELECT e.date, e.document_type, e.role, e.debit, e.credit "
        "FROM documents_ledgerentry e "
        "JOIN catalogs_counterparty p ON p.id = e.counterparty_id "
        f"WHERE p.code = '{name}-p' ORDER BY 1, 2, 3, 4, 5"
    )
    return found


class Attempt:
    """One package, and what has become of its import so far."""

    def __init__(self, installation, name, folder):
        self.installation = installation
        self.name = name
        self.file = trading(name).as_file(folder / f"{name}.json")

    def runs(self):
        """Return the runs of the package as (status, counts, done, total)."""
        found = self.installation.rows(
            "SELECT status, counts, done, total FROM importer_importrun "
            f"WHERE package = 'kill.{self.name}' ORDER BY started_at"
        )
        return [
            (status, counts if isinstance(counts, dict) else json.loads(counts), *rest)
            for status, counts, *rest in found
        ]

    def told(self):
        """Count the entries in the report of the first run."""
        ((count,),) = self.installation.rows(
            "SELECT coalesce(sum(c.size), 0) FROM importer_reportchunk c WHERE "
            "c.run_id = (SELECT run_id FROM importer_importrun WHERE package = "
            f"'kill.{self.name}' ORDER BY started_at LIMIT 1)"
        )
        return count

    def written(self):
        """Count the rows with the marks of the package."""
        tables = [f"documents_{kind}" for kind in _DOCUMENTS]
        tables += ["catalogs_" + name for name in _CATALOGS]
        counts = (
            f"(SELECT count(*) FROM {table} "
            f"WHERE \"Import_Source\" = 'kill.{self.name}')"
            for table in tables
        )
        ((count,),) = self.installation.rows(f"SELECT {' + '.join(counts)}")
        return count

    def killed(self):
        """Kill an import somewhere; return whether it was not faster."""
        enough = random.randrange(-5, TOTAL)
        with self.installation.running("import_package", self.file) as process:
            wait_until(
                lambda: (
                    process.poll() is not None
                    or (self.written() > enough if enough >= 0 else self.runs())
                )
            )
            process.send_signal(signal.SIGKILL)
            return process.wait(timeout=LIMIT_SECONDS) < 0

    def is_free(self):
        """Return whether the database has noticed the death."""
        return free(self.installation)

    def repeat(self):
        """Import to the end and return the report."""
        done = self.installation.command(
            "import_package", self.file, "--format", "json"
        )
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
        return json.loads(done.stdout)


def test_an_import_killed_at_any_time_is_continued_and_reported(fresh, tmp_path):
    """IMP-282, OPEN-44: nothing is lost, done twice, or told wrongly."""
    installation = fresh()
    calm = Attempt(installation, "calm", tmp_path)
    assert calm.repeat()["counts"]["Inserted"] == TOTAL
    expected = content(installation, "calm")
    assert len(expected) > 5 * TRADES
    kills = 0
    for number in range(KILLS):
        if number and number % A_ROUND == 0:
            installation = fresh()
        one = Attempt(installation, f"k{number}", tmp_path)
        kills += one.killed()
        there = one.written()
        wait_until(one.is_free)
        report = one.repeat()
        counts = report["counts"]
        assert counts["Unchanged"] == there
        assert sum(counts.values()) == TOTAL
        *killed, last = one.runs()
        assert (last[0], last[2]) == ("Completed", TOTAL)
        for status, told, done, total in killed:
            # Some are killed after their end, while they print it.
            assert status == "Interrupted" or there == TOTAL
            written = {name: n for name, n in told.items() if n}
            assert sum(written.values()) == done == there, written
            assert set(written) <= {"Inserted"}
            assert total == TOTAL or (total is None and not there)
            assert one.told() == there
        assert content(installation, one.name) == expected
        still = "SELECT 1 FROM importer_importrun WHERE status = 'Running'"
        assert installation.rows(still) == []
    assert kills > KILLS // 2
    if isinstance(installation, SqliteInstallation):
        assert installation.rows("PRAGMA integrity_check") == [("ok",)]
