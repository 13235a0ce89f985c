"""The failed and kept rows of the table of a run, on its page and over the API."""

from __future__ import annotations

import pytest

from importer.services import create_source
from tests.builders import edit_row, row_of
from tests.importer import background
from tests.importer.admin_page.conftest import PAGE
from tests.importer.admin_page.table_visitor import TableVisitor
from tests.importer.api.test_sources import PRICES
from tests.importer.tables.lists import GERMAN
from tests.importer.tables.test_source_tables import sent

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("trade"),
]
LIST = "Artikelnummer;Bezeichnung;ME;Preis €\n1;Öl;Stk;1,5\n2;Nagel;Stk;auf Anfrage\n"
ROW = "2;Nagel;Stk;auf Anfrage;"


@pytest.fixture
def guest(admin):
    yield TableVisitor(admin)
    background.finish_runs()


def rows_of(client, run):
    answer = client.get(f"{PAGE}/failed.csv", {"run": str(run.run_id)})
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"].startswith("text/csv")
    return b"".join(answer.streaming_content).decode("utf-8-sig")


def corrected(text):
    """Return a table of failed rows with the right price."""
    return text.replace("auf Anfrage", "3,50", 1).encode()


def test_the_page_of_a_dry_run_offers_the_rows_to_correct(guest):
    run = guest.ended(guest.send(guest.choose(GERMAN, "preise.csv"), "dry-run"))
    page = guest.text(run=run.run_id)
    assert f'href="/admin/import/failed.csv?run={run.run_id}"' in page
    text = rows_of(guest.client, run)
    assert [line[:5] for line in text.splitlines() if line] == ["Artik", "4712;"]
    again = guest.ended(
        guest.send(guest.choose(corrected(text), "failed.csv"), "dry-run")
    )
    assert (again.counts["Inserted"], again.has_errors) == (3, False)
    assert "failed.csv" not in guest.text(run=again.run_id)


def test_the_import_of_a_plan_and_another_dry_run_offer_them_too(guest):
    dry = guest.ended(guest.send(guest.choose(GERMAN, "preise.csv"), "dry-run"))
    rest = {"plan": dry.run_id, "continue_on_error": "on"}
    done = guest.ended(guest.post("import", **rest))
    dry.delete()
    assert "auf Anfrage" in rows_of(guest.client, done)
    again = guest.ended(
        guest.post("dry-run", again=done.run_id, continue_on_error="on")
    )
    assert "auf Anfrage" in rows_of(guest.client, again)


def test_kept_rows_are_there_with_their_reason(calls, admin, guest):
    create_source(PRICES)
    calls.ended(sent(calls, "supplier_17/run", LIST.encode()))
    edit_row(row_of("Items", "1"), actor=admin, price="99")
    changed = LIST.replace("1,5", "2,5").encode()
    answer = sent(calls, "supplier_17/run", changed, queue="true")
    background.finish_queued_runs()
    run = calls.ended(answer)
    answer = calls.get(f"runs/{run['runId']}/failed", format="csv")
    assert answer["Content-Disposition"].endswith('"supplier_17-failed.csv"')
    lines = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()
    assert lines[1].startswith("1;Öl;Stk;2,5;kept: ")
    assert lines[2].startswith(ROW)


def test_a_package_has_no_rows_and_a_table_without_failures_none(calls):
    create_source(PRICES)
    run = calls.ended(
        sent(calls, "supplier_17/run", LIST.replace("auf ", "1").encode())
    )
    assert calls.get(f"runs/{run['runId']}/failed", format="csv").status_code == 200
    good = LIST.replace("auf Anfrage", "2,5").encode()
    run = calls.ended(sent(calls, "supplier_17/run", good))
    assert calls.get(f"runs/{run['runId']}/failed", format="csv").status_code == 409
    assert calls.get(f"runs/{run['runId']}/failed", format="xml").status_code == 400
