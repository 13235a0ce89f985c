"""Tables imported through a source in the background."""

from __future__ import annotations

import pytest

from catalogs.models import Item
from importer.models import ImportRun
from importer.services import create_source
from tests.importer import background
from tests.importer.api.test_sources import PRICES
from tests.importer.tables.lists import GERMAN
from tests.importer.tables.test_source_tables import UTF16, sent

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("trade"),
]


@pytest.fixture
def source(trade):
    return create_source(PRICES)


def test_what_is_proposed_can_be_saved_and_run(calls):
    found = sent(calls, "detect", GERMAN, target="Items").json()
    names = ("columns", "key", "match", "encoding", "decimal", "headerRow")
    given = {"name": "muster", "target": "Items", **{n: found[n] for n in names}}
    assert calls.post("sources", given).status_code == 201
    run = calls.ended(sent(calls, "muster/run", GERMAN))
    assert (run["package"], run["continueOnError"]) == ("muster", True)
    [failed] = [i for i in run["report"]["items"] if i["outcome"] == "Failed"]
    assert failed["line"] == 6
    assert Item.objects.filter(is_folder=False).count() == 3


def test_a_second_run_changes_nothing(calls, source):
    first = calls.ended(sent(calls, "supplier_17/run", UTF16))
    assert first["counts"]["Inserted"] == 1
    second = calls.ended(sent(calls, "supplier_17/run", UTF16))
    assert second["counts"]["Unchanged"] == 1
    run = ImportRun.objects.get(pk=second["runId"])
    assert (run.package, run.started_via, run.starter) == (
        "supplier_17",
        "api",
        "supplier_17",
    )


def test_a_dry_run_writes_nothing(calls, source):
    run = calls.ended(sent(calls, "supplier_17/run", UTF16, dryRun="true"))
    assert (run["dryRun"], run["counts"]["Inserted"]) == (True, 1)
    assert not Item.objects.exists()


def test_wrong_rows_stop_a_run_that_shall_not_continue(calls, source):
    data = UTF16.decode("utf-16").encode() + b"2;Nagel;Stk;auf Anfrage\n"
    run = calls.ended(sent(calls, "supplier_17/run", data, continueOnError="false"))
    assert run["hasErrors"]
    assert not Item.objects.exists()


def test_a_run_may_wait_for_its_turn(calls, source):
    answer = sent(calls, "supplier_17/run", UTF16, queue="true")
    background.finish_queued_runs()
    assert calls.ended(answer)["counts"]["Inserted"] == 1
