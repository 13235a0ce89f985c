"""A table source whose tables another data processor makes."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from catalogs.models import Item
from importer.models import ImportRun, TableSource
from importer.services import DescriptionRefused, create_source
from platform_site.changes.models import ChangeEvent
from platform_site.processing import services
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.made_files import store_made_file
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import find_processor, registered
from platform_site.processing.rights import record_right, rights_needed
from platform_site.processing.values import FileField, Values
from platform_site.records.errors import NotAllowed
from platform_site.scheduling.execution import carry_out_job
from platform_site.scheduling.missing_rights import missing_rights
from platform_site.scheduling.models import JobExecution
from tests.builders import make_row
from tests.catalogs.processors.test_table_sources import (
    LIST,
    PRICES,
    RIGHTS,
    counts,
)
from tests.catalogs.rows import boss
from tests.importer.admin_page.table_visitor import TABLE, TableVisitor
from tests.processing.users import a_person
from tests.scheduling.jobs import a_job

pytestmark = pytest.mark.django_db
CONTENT = LIST.encode("cp1252")


class Convert(DataProcessor):
    """A processor that makes a price list, or nothing."""

    title = "Convert the price list"
    content = CONTENT

    class Result(Values):
        """The price list."""

        table = FileField(label="Table")

    def execute(self, data, *, user):
        """Make it."""
        if self.content is None:
            return {"table": None}
        return {"table": store_made_file("prices.csv", [self.content], user=user)}


@pytest.fixture
def made(db, monkeypatch):
    """Save a source of what the processor makes, and return the processor."""
    make_row("UnitsOfMeasure", actor=boss(), code="pcs", name="pieces")
    monkeypatch.setattr(Convert, "content", CONTENT)
    with registered(Convert):
        record_right(Convert)
        create_source({**PRICES, "name": "made", "origin": {"processor": "Convert"}})
        yield Convert


def run(user=None, **data):
    return services.execute("made", data, user=user or boss()).result


def test_a_job_imports_what_the_processor_makes_and_nothing_twice(made):
    ending = carry_out_job(a_job(boss(), find_processor("made")))
    assert (ending.status, ending.message) == (JobExecution.Status.COMPLETED, "")
    assert counts(ending.result) == {"inserted": 2}
    assert ImportRun.objects.get().started_via == "job"
    again = run()
    assert (counts(again), "hasn't changed" in again["message"]) == ({}, True)
    made.content = CONTENT.replace(b"1,50", b"1,60")
    assert counts(run(dryRun=True)) == {"updated": 1, "unchanged": 1}
    assert counts(run()) == {"updated": 1, "unchanged": 1}


def test_a_processor_may_have_nothing_new(made):
    made.content = None
    result = run()
    assert (result["message"], result["runId"]) == (
        "There is no new table; there is nothing to do.",
        None,
    )


def test_a_table_with_wrong_rows_is_not_taken_for_imported(made):
    made.content = CONTENT.replace(b"1,50", b"teuer")
    assert counts(run()) == {"inserted": 1, "failed": 1}
    assert counts(run()) == {"unchanged": 1, "failed": 1}


def test_what_is_no_table_is_refused(made):
    made.content = b"<html>"
    with pytest.raises(InvalidStateError, match="neither CSV nor XLSX"):
        run()


def test_both_rights_are_needed_and_shown_before_a_job_is_saved(made):
    source = find_processor("made")
    clerk = a_person(is_staff=True)
    clerk.user_permissions.set(
        Permission.objects.filter(codename__in=(*RIGHTS, "Executemade"))
    )
    clerk = type(clerk).objects.get(pk=clerk.pk)
    with pytest.raises(NotAllowed, match="ExecuteConvert"):
        run(clerk)
    assert not Item.objects.exists()
    lacking = [right.codename for right in missing_rights("made", clerk)]
    assert lacking == ["ExecuteConvert"]
    assert "processing.ExecuteConvert" in rights_needed(source)
    clerk.user_permissions.add(*Permission.objects.filter(codename="ExecuteConvert"))
    assert counts(run(type(clerk).objects.get(pk=clerk.pk))) == {"inserted": 2}


@pytest.mark.parametrize("name", ["made", "other", "ImportItemsFromCsv", "Konvert"])
def test_only_what_makes_a_file_without_asking_for_one_is_an_origin(made, name):
    with pytest.raises(DescriptionRefused) as refusal:
        create_source({**PRICES, "name": "other", "origin": {"processor": name}})
    (place, said) = refusal.value.errors.popitem()
    assert place == "origin.processor"
    assert ("did you mean" in said) == (name == "Konvert")


def test_a_processor_that_executes_the_source_it_makes_tables_for_is_refused(
    made, monkeypatch
):
    monkeypatch.setattr(made, "execute", lambda self, data, *, user: run(user))
    with pytest.raises(InvalidStateError, match="can't be executed by"):
        run()
    assert not ImportRun.objects.exists()


def test_a_processor_that_is_gone_is_said(made, monkeypatch):
    monkeypatch.setattr(
        "platform_site.processing.services.find_processor",
        lambda name: None if name == "Convert" else find_processor(name),
    )
    with pytest.raises(Exception, match="no data processor “Convert”"):
        run()


def test_the_page_of_the_processor_offers_its_file(made, client):
    client.force_login(boss())
    page = client.post("/admin/processors/Convert", {}).content.decode()
    link = page.partition('href="/api/v1/Files/')[2].partition('"')[0]
    assert ">prices.csv<" in page
    answer = client.get(f"/api/v1/Files/{link}")
    assert b"".join(answer.streaming_content) == CONTENT


def test_the_page_for_tables_saves_such_a_source_and_offers_a_job(made):
    visitor = TableVisitor(boss())
    text = visitor.choose(CONTENT, "prices.csv")
    both = {"name": "both", "processor": "Convert", "folder": "prices"}
    assert visitor.send(text, "save", **both).status_code == 400
    given = {"name": "second", "processor": "Convert"}
    assert visitor.send(text, "save", **given).status_code == 302
    assert TableSource.objects.get(name="second").origin == {"processor": "Convert"}
    page = visitor.client.get(TABLE).content.decode()
    assert "data processor Convert" in page
    assert "scheduling/job/add/?processor=second" in page


def test_the_history_has_who_changed_a_source(made):
    event = ChangeEvent.objects.filter(model="TableSources").get()
    assert (event.action, event.row) == ("created", "made")
    assert event.changes["origin"] == [None, {"processor": "Convert"}]
    assert "sheet" not in event.changes
