"""How much a user may keep in files that nothing uses, and what makes room again."""

from __future__ import annotations

import datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.utils import timezone

from platform_site.files import blobs, cleaning, services
from platform_site.files.models import StoredFile
from platform_site.files.services import FileTooLarge, store_file
from platform_site.processing import registry
from platform_site.records.errors import LimitReached
from tests.processing.processors import CountWords
from tests.processing.users import a_person, allow, an_uploader
from tests.two_connections import Elsewhere

pytestmark = pytest.mark.django_db
FILES = "/api/v1/Files"


@pytest.fixture(autouse=True)
def ten_bytes(place, settings):
    settings.PLATFORM_BYTES_PER_USER = 10


def stored(person, size, *, days=0):
    upload = SimpleUploadedFile("list.csv", b"x" * size, "text/csv")
    file = store_file(upload=upload, user=person)
    if days:
        at = timezone.now() - datetime.timedelta(days=days)
        StoredFile.objects.filter(pk=file.pk).update(uploaded_at=at)
    return file


def on_disk():
    return {blob.key for blob in blobs.contents().blobs}


def test_a_user_may_have_just_as_much_and_no_byte_more():
    person = an_uploader()
    kept = {stored(person, 6).pk, stored(person, 4).pk}
    with pytest.raises(LimitReached, match=r"1 bytes.*10 of 10 bytes") as refusal:
        stored(person, 1)
    assert refusal.value.members == {"limit": "bytesPerUser", "used": 10, "allowed": 10}
    assert on_disk() == kept


def test_each_user_has_room_of_their_own():
    stored(an_uploader(), 10)
    stored(an_uploader(), 10)


def test_zero_is_no_limit(settings):
    settings.PLATFORM_BYTES_PER_USER = 0
    person = an_uploader()
    stored(person, 100)
    stored(person, 100)


def test_a_file_that_never_has_room_is_too_large():
    with pytest.raises(FileTooLarge, match="at most 10 bytes"):
        stored(an_uploader(), 11)


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}])
def test_the_api_says_the_limit_what_is_used_and_when_there_is_room(client, headers):
    person = an_uploader()
    stored(person, 8)
    client.force_login(person)
    file = SimpleUploadedFile("list.csv", b"xxx")
    answer = client.post(FILES, {"file": file}, headers=headers)
    assert answer.status_code == 403
    body = answer.json()
    assert (body["code"], body["limit"]) == ("limit-reached", "bytesPerUser")
    assert (body["used"], body["allowed"]) == (8, 10)
    assert "a day after its upload" in body["detail"]
    assert "licence" not in body["title"]
    assert StoredFile.objects.count() == len(on_disk()) == 1


def test_the_page_of_a_processor_says_it_at_the_file(client):
    person = a_person(is_staff=True)
    typed = {"text": "a b", "atLeast": "1", "from": "2026-05-01", "timeZone": ""}
    with registry.registered(CountWords):
        allow(person, CountWords)
        stored(person, 8)
        client.force_login(person)
        upload = SimpleUploadedFile("w.txt", b"a b c")
        page = client.post("/admin/processors/CountWords", {**typed, "fileId": upload})
    (sentence,) = page.context["form"].errors["fileId"]
    assert "There is no space for this file of 5 bytes" in sentence


def test_what_nothing_used_for_a_day_makes_room(django_capture_on_commit_callbacks):
    person, other = an_uploader(), an_uploader()
    old, new = stored(person, 4, days=2), stored(person, 2)
    others = stored(other, 4, days=2)
    with django_capture_on_commit_callbacks(execute=True):
        newest = stored(person, 8)
    assert on_disk() == {new.pk, newest.pk, others.pk}
    assert not StoredFile.objects.filter(pk=old.pk).exists()


def test_nothing_goes_while_there_is_room(django_capture_on_commit_callbacks):
    person = an_uploader()
    old = stored(person, 4, days=2)
    with django_capture_on_commit_callbacks(execute=True):
        stored(person, 6)
    assert old.pk in on_disk()


def test_what_is_in_use_neither_counts_nor_goes(monkeypatch):
    person = an_uploader()
    used = stored(person, 10, days=2)

    class Relation:
        """A table whose rows refer to every file that is there now."""

        related_model = StoredFile

        class field:
            name = "pk"

    monkeypatch.setattr(cleaning, "_references", lambda: [Relation])
    stored(person, 10)
    assert StoredFile.objects.filter(pk=used.pk).exists()


def test_what_cleaning_frees_is_free_again(django_capture_on_commit_callbacks):
    person = an_uploader()
    stored(person, 10, days=2)
    with django_capture_on_commit_callbacks(execute=True):
        call_command("clean_files", "--delete")
    stored(person, 10)
    assert len(on_disk()) == 1


@pytest.mark.django_db(transaction=True)
def test_two_uploads_at_once_have_room_for_one(monkeypatch):
    person = an_uploader()
    judged = services.refuse_beyond_quota
    other = []

    def judged_then_the_other(user, size):
        judged(user, size)
        # The first is let in and not recorded yet: now the second asks.
        monkeypatch.setattr(services, "refuse_beyond_quota", judged)
        other.append(Elsewhere(stored, person=person, size=6))
        other[0].end_or_wait()

    monkeypatch.setattr(services, "refuse_beyond_quota", judged_then_the_other)
    first = stored(person, 6)
    assert isinstance(other[0].end(), LimitReached)
    assert on_disk() == {first.pk}
