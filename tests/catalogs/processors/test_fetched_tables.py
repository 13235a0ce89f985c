"""The data processor of a table source with an address, executed by a job against a
local HTTPS server."""

from __future__ import annotations

import pytest

from catalogs.models import Item
from importer.models import ImportRun, TableSource
from importer.services import create_source, update_source
from platform_site.processing import services
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.registry import find_processor
from platform_site.scheduling.execution import carry_out_job
from platform_site.scheduling.models import JobExecution
from tests.builders import make_row
from tests.catalogs.processors.source import redirect, send
from tests.catalogs.processors.test_table_sources import LIST, PRICES, counts
from tests.catalogs.rows import boss
from tests.scheduling.jobs import a_job

CONTENT = LIST.encode("cp1252")


@pytest.fixture
def nightly(source):
    """Save a source with the address of the local server, and return that server."""
    make_row("UnitsOfMeasure", actor=boss(), code="pcs", name="pieces")
    source.content = CONTENT
    create_source({**PRICES, "name": "nightly", "origin": {"url": source.url()}})
    return source


def run(**data):
    return services.execute("nightly", data, user=boss()).result


def test_a_job_fetches_and_imports_the_table(nightly):
    ending = carry_out_job(a_job(boss(), find_processor("nightly")))
    assert (ending.status, ending.message) == (JobExecution.Status.COMPLETED, "")
    assert counts(ending.result) == {"inserted": 2}
    assert ImportRun.objects.get().started_via == "job"
    assert TableSource.objects.get().fetched["etag"] == nightly.etag


def test_an_unchanged_table_is_not_imported_again(nightly):
    run()
    runs = ImportRun.objects.count()
    result = run()
    assert (counts(result), result["runId"]) == ({}, None)
    assert "hasn't changed" in result["message"]
    assert nightly.asked[-1][1]["If-None-Match"] == nightly.etag
    assert ImportRun.objects.count() == runs


def test_equal_content_without_an_etag_is_not_imported_again(nightly):
    nightly.pages["/package.json"] = lambda handler: send(handler, 200, CONTENT)
    assert counts(run()) == {"inserted": 2}
    assert "hasn't changed" in run()["message"]


def test_a_changed_table_updates_what_changed(nightly):
    run()
    nightly.content = CONTENT.replace(b"1,50", b"1,60")
    assert counts(run()) == {"updated": 1, "unchanged": 1}


def test_a_changed_source_imports_the_same_table_again(nightly):
    run()
    columns = [c for c in PRICES["columns"] if c["property"] != "price"]
    update_source("nightly", {"columns": columns})
    assert counts(run()) == {"updated": 2}
    assert nightly.asked[1][1]["If-None-Match"] is None


def test_after_a_failure_or_a_dry_run_the_table_is_fetched_again(nightly):
    assert counts(run(dryRun=True)) == {"inserted": 2}
    nightly.content = CONTENT.replace(b"1,50", b"auf Anfrage")
    assert counts(run()) == {"inserted": 1, "failed": 1}
    assert counts(run()) == {"unchanged": 1, "failed": 1}


def test_private_addresses_are_refused(nightly, settings):
    settings.PLATFORM_IMPORT_ALLOW_PRIVATE = False
    with pytest.raises(InvalidStateError, match="private network"):
        run()
    assert not Item.objects.exists()


def test_what_is_no_table_is_refused(nightly):
    nightly.content = b"<html>sign in</html>"
    with pytest.raises(InvalidStateError, match="neither CSV nor XLSX"):
        run()


def test_a_redirect_is_followed(nightly):
    nightly.pages["/package.json"] = redirect("/other.csv")
    assert counts(run()) == {"inserted": 2}
