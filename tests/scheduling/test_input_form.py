"""The form of a job shows the input of its data processor."""

from __future__ import annotations

import pytest
from django.urls import reverse

from platform_site.accounts.models import User
from platform_site.processing import registry
from platform_site.processing.processor import DataProcessor
from platform_site.processing.values import (
    BooleanField,
    ChoiceField,
    DateField,
    IntegerField,
    TextField,
    Values,
)
from platform_site.scheduling.models import Job
from tests.scheduling.jobs import a_job
from tests.scheduling.test_admin import ADD, errors, typed, url

pytestmark = pytest.mark.django_db
INPUT = reverse("admin:scheduling_job_input")


class Settle(DataProcessor):
    """A processor with an input of several kinds."""

    class Input(Values):
        """What it asks for."""

        text = TextField(default="tock", label="Remark", allow_blank=True)
        days = IntegerField(default=7, label="Days back")
        dry_run = BooleanField(default=True, label="Dry run")
        until = DateField(default=None, allow_null=True)
        how = ChoiceField(choices=[("a", "fast"), ("b", "slow")], default="a")

    def execute(self, data, *, user):
        return {}


@pytest.fixture(autouse=True)
def settle():
    with registry.registered(Settle):
        yield


@pytest.fixture
def pages(client, accounts):
    client.force_login(User.objects.get(username="admin"))
    return client


def as_shown(**changed):
    """Return what a browser sends of the fields of `Settle`."""
    shown = {
        "input-form-of": "Settle",
        "input-text": "tock",
        "default-text": "tock",
        "input-days": "7",
        "default-days": "7",
        "input-dryRun": "on",
        "input-until": "",
        "default-until": "",
        "input-how": "a",
        "default-how": "a",
    }
    sent = {**typed(processor="Settle"), **shown, **changed}
    del sent["input"]
    return {name: value for name, value in sent.items() if value is not None}


def test_the_fields_of_the_processor_are_shown_with_the_values_of_the_job(
    pages, runner
):
    job = a_job(runner, processor=Settle, input={"days": 30, "dryRun": False})
    page = pages.get(url(job)).content.decode()
    assert "Days back" in page
    assert 'name="input-days" value="30"' in page
    assert 'name="input-text" value="tock"' in page
    assert '<input type="checkbox" name="input-dryRun" id="id_input-dryRun">' in page
    assert 'name="input"' not in page


def test_only_what_differs_from_the_defaults_is_stored(pages):
    assert pages.post(ADD, as_shown()).status_code == 302
    assert Job.objects.get().input == {}


def test_typed_values_are_stored_as_the_processor_reads_them(pages):
    sent = as_shown(**{"input-days": "30", "input-dryRun": None, "input-how": "b"})
    assert pages.post(ADD, sent).status_code == 302
    assert Job.objects.get().input == {"days": 30, "dryRun": False, "how": "b"}


def test_a_wrong_value_is_refused_by_its_label_and_stays(pages):
    answer = pages.post(ADD, as_shown(**{"input-days": "many"}))
    assert "Days back:" in errors(answer)["input"]
    assert 'name="input-days" value="many"' in answer.content.decode()
    assert not Job.objects.exists()


def test_another_processor_brings_its_fields_and_keeps_known_values(pages):
    sent = as_shown(processor="Note", **{"input-text": "kept", "input-days": "30"})
    part = pages.post(INPUT, sent).content.decode()
    assert 'name="input-text" value="kept"' in part
    assert "Days back" not in part


def test_a_processor_without_input_says_so(pages):
    part = pages.post(INPUT, {"processor": "ImportUnits"}).content.decode()
    assert "needs no input" in part


def test_an_input_that_the_form_cannot_show_is_shown_as_json(pages, runner):
    job = a_job(runner, processor=Settle)
    Job.objects.update(input={"colour": "red"})
    page = pages.get(url(job)).content.decode()
    assert "<textarea" in page
    assert "colour" in page


def test_fields_are_for_those_who_write_jobs(client, accounts):
    client.force_login(User.objects.create_user("reader", is_staff=True))
    assert client.post(INPUT, {"processor": "Settle"}).status_code == 403
