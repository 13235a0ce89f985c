"""The wrapper round a data processor: rights, input, files, result, failures."""

from __future__ import annotations

import errno

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ImproperlyConfigured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from platform_site.changes.services import ChangeOrigin
from platform_site.files.models import StoredFile
from platform_site.files.services import open_file
from platform_site.processing import registry, services
from platform_site.processing.errors import (
    ExecutionFailed,
    InvalidStateError,
    UnknownProcessor,
)
from platform_site.processing.processor import DataProcessor
from platform_site.processing.result_display import shown
from platform_site.processing.rights import record_rights
from platform_site.processing.values import (
    TextField,
    Values,
)
from platform_site.records.errors import NotAllowed, Refusal
from tests.processing.processors import CountWords
from tests.processing.users import a_person, somebody_who_may

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known():
    with registry.registered(CountWords):
        yield


def run(**given):
    user = given.pop("user", None) or somebody_who_may(CountWords)
    options = {k: given.pop(k) for k in ("files", "origin", "time_zone") if k in given}
    return services.execute("CountWords", given, user=user, **options)


def problems(refusal):
    return {p.path: p.message for p in refusal.value.problems}


def test_the_new_step_has_every_default():
    assert services.new_input(CountWords) == {
        "fileId": None,
        "text": "one two",
        "atLeast": 1,
        "from": "2026-01-01",
        "breaks": False,
    }


def test_without_input_it_runs_with_the_defaults():
    execution = run()
    assert execution.result["words"] == 2
    assert execution.seconds >= 0


def test_what_is_given_replaces_a_default():
    assert run(text="a b c", atLeast=2).result["words"] == 3


def test_a_hidden_result_is_in_the_answer_but_not_shown():
    execution = run()
    assert execution.result["askedBy"]
    seen = shown("CountWords", execution.result)
    assert (seen.numbers, seen.texts) == ([("How many", "2")], [])


def test_wrong_values_are_refused_by_their_names_on_the_wire():
    with pytest.raises(Refusal) as refusal:
        run(atLeast="many", text=7)
    assert set(problems(refusal)) == {"atLeast", "text"}


def test_an_unknown_input_is_refused():
    with pytest.raises(Refusal) as refusal:
        run(txt="a")
    assert problems(refusal) == {"txt": 'Unknown property "txt". Did you mean "text"?'}


def test_refusals_of_a_processor_are_shown_at_their_input():
    with pytest.raises(Refusal) as refusal:
        run(text="none", atLeast=5)
    assert problems(refusal) == {"atLeast": "More words than the text has."}


def test_a_file_reaches_the_processor_stored():
    upload = SimpleUploadedFile("words.txt", b"a b c d", "text/plain")
    assert run(files={"fileId": upload}).result["words"] == 4
    file = StoredFile.objects.get()
    with open_file(file) as stream:
        assert stream.read() == b"a b c d"


def test_wrong_input_stores_no_file():
    upload = SimpleUploadedFile("words.txt", b"a b c d", "text/plain")
    with pytest.raises(Refusal):
        run(files={"fileId": upload}, atLeast="many")
    assert not StoredFile.objects.exists()


def test_a_file_of_somebody_else_is_unknown():
    upload = SimpleUploadedFile("words.txt", b"a", "text/plain")
    run(files={"fileId": upload})
    with pytest.raises(Refusal) as refusal:
        run(fileId=str(StoredFile.objects.get().pk))
    assert "There is no file" in problems(refusal)["fileId"]


def test_without_the_right_nothing_happens():
    """IMP-200."""
    with pytest.raises(NotAllowed) as refusal:
        run(user=a_person())
    assert "the right ExecuteCountWords" in str(refusal.value)


def test_a_name_nobody_registered_is_refused_in_a_sentence():
    with pytest.raises(UnknownProcessor, match="no data processor “Nothing”"):
        services.execute("Nothing", {}, user=a_person())


def test_what_an_author_overlooked_is_a_sentence_and_a_line_in_the_log(caplog):
    with pytest.raises(ExecutionFailed, match="“Count words” failed unexpectedly"):
        run(breaks=True)
    assert "ZeroDivisionError" in caplog.text


def test_a_full_disk_is_named_as_what_it_is(monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(CountWords, "execute", full)
    with pytest.raises(ExecutionFailed, match="disk of the server is full"):
        run()


def test_an_invalid_state_is_said_in_its_own_words():
    with pytest.raises(InvalidStateError, match="Nothing to count"):
        run(text="")


def test_it_acts_as_the_user_on_the_occasion():
    user = somebody_who_may(CountWords)
    execution = run(user=user, origin=ChangeOrigin.SCHEDULED_JOB)
    assert execution.result["askedBy"] == f"{user} by Scheduled job"


def test_dates_are_read_in_the_zone_of_the_caller():
    assert run(time_zone="Asia/Tokyo").result["zone"] == "Asia/Tokyo"
    user = somebody_who_may(CountWords)
    user.time_zone = "Europe/Berlin"
    assert run(user=user).result["zone"] == "Europe/Berlin"
    with timezone.override("America/Lima"):
        assert run(user=user).result["zone"] == "America/Lima"


@pytest.mark.parametrize("name", ["Nowhere/Land", "../etc/passwd", "x\0y"])
def test_an_unknown_zone_is_refused(name):
    with pytest.raises(Refusal) as refusal:
        run(time_zone=name)
    assert set(problems(refusal)) == {"timeZone"}


def test_every_input_needs_a_default():
    class Asking(DataProcessor):
        class Input(Values):
            name = TextField()

    with pytest.raises(ImproperlyConfigured, match="input name of Asking"):
        registry.register(Asking)


def test_a_name_can_be_taken_once():
    other = type("CountWords", (DataProcessor,), {})
    with pytest.raises(ImproperlyConfigured, match="CountWords already"):
        registry.register(other)


def test_the_right_is_called_by_the_title_once_and_for_all():
    rights = Permission.objects.filter(codename="ExecuteCountWords")
    record_rights(None, using="default")
    assert rights.get().name == "Count words"
    rights.update(name="Can execute CountWords")
    record_rights(None, using="default")
    assert rights.get().name == "Count words"
    with CaptureQueriesContext(connection) as again:
        record_rights(None, using="default")
    assert [q for q in again.captured_queries if "UPDATE" in q["sql"]] == []
