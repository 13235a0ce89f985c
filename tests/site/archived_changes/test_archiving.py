"""Old changes move into files: what is in the files, what stays, and what readers of the
history are told."""

from __future__ import annotations

import datetime
import gzip
import hashlib
import json
import stat
import sys

import pytest
from django.urls import reverse

from platform_site.changes.models import ArchivedChanges, ChangeEvent, HistoryError
from platform_site.database import settled_counts
from platform_site.site.archived_changes import archiving, selection
from platform_site.site.archived_changes.errors import (
    ArchivingError,
    ArchivingInProgress,
)
from platform_site.webhooks.models import EventType, Webhook
from tests.catalogs.rows import boss
from tests.site.api.callers import with_key
from tests.site.archived_changes.conftest import LONG_AGO, events, many_changes

pytestmark = pytest.mark.django_db(transaction=True)
DAY = datetime.timedelta(days=1)


def test_each_month_gets_a_file_that_explains_itself(archive):
    caller = with_key("admin")
    unit = many_changes(40)
    shown = {
        each["id"]: each
        for each in caller.get("/Changes?pageSize=100").json()["results"]
    }
    outcome = archive()
    march, april = archive.files
    assert outcome.count == 39
    assert outcome.size == sum(path.stat().st_size for path in archive.files)
    content = gzip.decompress(march.read_bytes())
    header, *lines = map(json.loads, content.splitlines())
    assert header["format"] == "platform-changes/1"
    assert (header["count"], len(lines)) == (22, 22)
    keys = [line["id"] for line in lines]
    assert [header["firstId"], header["lastId"]] == [keys[0], keys[-1]]
    assert march.name == f"changes-2026-03.{keys[0]}-{keys[-1]}.jsonl.gz"
    body = content.partition(b"\n")[2]
    assert header["sha256"] == hashlib.sha256(body).hexdigest()
    for line in lines:
        assert line.pop("requestId").startswith("request-")
        at = line.pop("at")
        other = shown[line["id"]].pop("at")
        assert datetime.datetime.fromisoformat(at) == datetime.datetime.fromisoformat(
            other
        )
        assert line == {k: v for k, v in shown[line["id"]].items() if k != "at"}
    assert april.name.startswith("changes-2026-04.")
    left = ChangeEvent.objects.filter(model="UnitsOfMeasure", row_id=unit.pk)
    assert [each.action for each in left.order_by("at")] == ["created", "updated"]


@pytest.mark.skipif(sys.platform == "win32", reason="It has other rights.")
def test_nobody_else_can_read_the_files(archive):
    many_changes(5)
    archive()
    assert stat.S_IMODE(archive.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in archive.files} == {0o600}
    assert {path.name for path in archive.folder.iterdir()} == {
        path.name for path in archive.files
    }


def test_a_preview_says_what_would_leave_and_changes_nothing(archive):
    many_changes(30)
    before = events()
    planned = archive.preview()
    assert events() == before
    assert not archive.folder.exists()
    done = archive()
    assert (planned.count, planned.times) == (done.count, done.times)
    assert planned.size == pytest.approx(done.size, rel=0.5)


def test_a_second_run_finds_nothing_and_a_later_one_only_what_came_since(archive):
    unit = many_changes(5)
    archive()
    first = archive.files
    assert archive().count == 0
    assert archive.files == first
    ChangeEvent(
        at=LONG_AGO + 7 * DAY, action="updated", origin="System", model="UnitsOfMeasure",
        row_id=unit.pk, row="x", changes={},
    ).save()  # fmt: skip
    many_changes(0)
    assert archive().count == 1
    assert len(archive.files) == 2


def test_changes_come_back_as_they_were(archive):
    many_changes(40)
    before = events()
    archive()
    archive.restore()
    archive.restore()
    after = events()
    assert {key: after[key] for key in before} == before
    assert archive.told[-1].endswith("are in the history already.")
    # They can be archived again.
    assert archive().count >= 39


def test_a_file_of_elsewhere_or_a_damaged_one_is_refused(archive, tmp_path):
    many_changes(5)
    archive()
    (path,) = archive.files
    content = path.read_bytes()
    changed = gzip.decompress(content).replace(b"N2", b"N7")
    path.write_bytes(gzip.compress(changed))
    with pytest.raises(ArchivingError, match="damaged"):
        archive.restore()
    path.write_bytes(content[:-20])
    with pytest.raises(ArchivingError, match="isn't a whole file"):
        archive.restore()
    path.write_bytes(content)
    ArchivedChanges.objects.all().delete()
    with pytest.raises(ArchivingError, match="weren't archived by this installation"):
        archive.restore()


def test_two_at_once_are_refused(archive):
    with archiving.alone(archive.configuration), pytest.raises(ArchivingInProgress):
        archive()


def test_a_file_that_is_there_already_is_not_overwritten(archive):
    many_changes(5)
    archive()
    (path,) = archive.files
    archive.restore()
    content = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(content + b"{}\n"))
    with pytest.raises(ArchivingError):
        archive()
    assert gzip.decompress(path.read_bytes()).endswith(b"{}\n")


def test_who_follows_from_an_archived_position_reads_the_lists_again(archive):
    caller = with_key("admin")
    many_changes(5)
    keys = list(
        ChangeEvent.objects.filter(origin="System")
        .order_by("id")
        .values_list("id", flat=True)
    )
    archive()
    last = ArchivedChanges.objects.get().last_id
    answer = caller.get("/Changes?after=0")
    assert (answer.status_code, answer.json()["code"]) == (410, "changes-archived")
    assert answer.json()["position"] == last
    assert str(last) in answer.json()["detail"]
    assert caller.get(f"/Changes?after={last - 1}").status_code == 410
    page = caller.get(f"/Changes?after={last}").json()
    assert all(each["id"] > last for each in page["results"])
    assert caller.get("/Changes?after=latest").status_code == 200
    archive.restore()
    page = caller.get("/Changes?after=0&limit=1000").json()
    assert set(keys) <= {each["id"] for each in page["results"]}


def test_a_reader_at_the_end_of_the_feed_never_stands_beyond_it(archive):
    caller = with_key("admin")
    many_changes(5)
    end = caller.get("/Changes?after=latest").json()["next"]
    archive()
    assert caller.get(f"/Changes?after={end}").status_code == 200


def test_what_a_webhook_has_not_been_told_stays(archive):
    many_changes(3)
    told = ChangeEvent.objects.order_by("-id").values_list("id", flat=True).first()
    webhook = Webhook.objects.create(
        user=boss(), url="https://example.com/a", enabled=False, position=told,
        events=[EventType.RECORD_CHANGED],
    )  # fmt: skip
    unit = many_changes(5, start=LONG_AGO + 50 * DAY)
    outcome = archive()
    assert outcome.held_by == webhook
    of_unit = ChangeEvent.objects.filter(model="UnitsOfMeasure", row_id=unit.pk)
    assert of_unit.count() == 6
    webhook.delete()
    outcome = archive()
    assert outcome.held_by is None
    assert of_unit.count() == 2


def test_changes_of_erased_rows_leave_as_a_whole(archive):
    unit = many_changes(5)
    type(unit).objects.filter(pk=unit.pk)._raw_delete("default")
    # A further change, so that theirs aren't the end of the feed.
    other = many_changes(0)
    archive()
    kept = ChangeEvent.objects.filter(model="UnitsOfMeasure")
    assert set(kept.values_list("row_id", flat=True)) == {other.pk}


def test_the_newest_changes_of_a_user_stay(archive, monkeypatch):
    monkeypatch.setattr(selection, "_OF_USER", 3)
    unit = many_changes(8, origin="User")
    archive()
    left = ChangeEvent.objects.filter(row_id=unit.pk, origin="User").order_by("at")
    days = [
        each.at.day
        for each in left
        if each.at.year == 2026 and each.at < LONG_AGO + 20 * DAY
    ]
    assert days == [15, 16, 17]


def test_counts_stay_true(archive, monkeypatch):
    monkeypatch.setattr(settled_counts, "_MANY", 3)
    unit = many_changes(10)
    of_unit = ChangeEvent.objects.filter(model="UnitsOfMeasure", row_id=unit.pk)
    assert (of_unit.count(), of_unit.count()) == (11, 11)
    archive()
    assert of_unit.count() == len(of_unit.all()) == 2
    archive.restore()
    assert of_unit.count() == len(of_unit.all()) == 11


def test_the_pages_say_where_earlier_changes_are(archive, client):
    unit = many_changes(5)
    client.force_login(boss())
    history = reverse("admin:catalogs_unitofmeasure_history", args=[unit.pk])
    changes = reverse("admin:changes_changeevent_changelist")
    sentence = f"may be archived, in files in {archive.folder}."
    for page in (history, changes):
        assert sentence not in client.get(page).text
    archive()
    for page in (history, changes):
        assert sentence in client.get(page).text
    new = many_changes(0)
    history = reverse("admin:catalogs_unitofmeasure_history", args=[new.pk])
    assert "may be archived" not in client.get(history).text


def test_it_is_recorded_and_logged(archive, caplog):
    many_changes(5)
    archive()
    event = ChangeEvent.objects.order_by("-id").first()
    assert (event.model, event.action) == ("ArchivedChanges", "created")
    assert event.changes["count"] == [None, 4]
    assert event.changes["file"] == [None, str(archive.files[0])]
    assert 'kind="ArchivedChanges"' in caplog.text


def test_nothing_else_of_the_history_can_be_deleted(archive):
    many_changes(2)
    with pytest.raises(HistoryError, match="permanent"):
        ChangeEvent.objects.all().delete()
