"""`manage.py archive_changes`: what it prints, and how it ends."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from platform_site.changes.models import ArchivedChanges, ChangeEvent
from platform_site.management.commands import archive_changes
from platform_site.settings.errors import WrongCallError
from platform_site.site.archived_changes import archiving
from platform_site.site.archived_changes.errors import ArchivingError
from platform_site.webhooks.models import EventType, Webhook
from tests.catalogs.rows import boss
from tests.site.archived_changes.conftest import LONG_AGO, many_changes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def command(archive, monkeypatch):
    monkeypatch.setattr(archive_changes, "active", lambda: archive.configuration)

    def called(*arguments):
        out = io.StringIO()
        call_command("archive_changes", *map(str, arguments), stdout=out)
        return out.getvalue()

    return called


def test_a_dry_run_an_archiving_and_the_way_back(command, archive):
    many_changes(5)
    before = ChangeEvent.objects.count()
    planned = command("--before", "2026-04-01", "--dry-run")
    assert "4 changes from 2026-03-10 to 2026-03-13 would be archived, about" in planned
    assert not archive.files
    done = command("--before", "2026-04-01")
    (path,) = archive.files
    size = path.stat().st_size
    assert f"4 changes are archived in {path} ({size:,} bytes).\n" in done
    assert "4 changes from 2026-03-10 to 2026-03-13 are archived" in done
    assert "There is nothing to archive." in command("--older-than", 2)
    assert "4 changes" in command("--restore", path)
    # With the two that tell of it.
    assert ChangeEvent.objects.count() == before + 2


def test_another_folder(command, archive, tmp_path):
    many_changes(5)
    command("--before", "2026-04-01", "--to", tmp_path / "elsewhere")
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1
    assert not archive.folder.exists()


def test_with_several_nodes_a_folder_for_all_is_asked_for(
    command, archive, tmp_path, monkeypatch
):
    many_changes(5)
    assert "all nodes share" not in command("--before", "2026-03-11")
    several = replace(archive.configuration, has_nodes=True)
    monkeypatch.setattr(archive_changes, "active", lambda: several)
    assert "all nodes share with --to" in command("--before", "2026-03-12")
    elsewhere = command("--before", "2026-04-01", "--to", tmp_path / "elsewhere")
    assert "are archived" in elsewhere
    assert "all nodes share" not in elsewhere


def test_what_another_node_has_begun_is_finished_where_its_file_is(command, archive):
    many_changes(5)
    command("--before", "2026-04-01")
    (path,) = archive.files
    ArchivedChanges.objects.update(removed_at=None)
    path.rename(path.with_suffix(".away"))
    with pytest.raises(ArchivingError, match="Run the command on the node where"):
        command("--before", "2026-04-01")
    path.with_suffix(".away").rename(path)
    assert "4 changes are archived in" in command("--before", "2026-04-01")


def test_what_a_webhook_waits_for_is_named(command):
    many_changes(5)
    events = [EventType.RECORD_CHANGED]
    Webhook.objects.create(
        user=boss(), url="https://example.com/a", events=events, enabled=False
    )
    said = command("--before", "2026-04-01")
    assert "There is nothing to archive." in said
    assert "The webhook https://example.com/a hasn't been told of all" in said
    assert "enable or delete it" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--older-than", "1"], "must be from 2 to"),
        (["--before", "2026-13-01"], "isn't a date"),
        (["--before", "soon"], "isn't a date"),
        (["--before", f"{timezone.localdate()}"], "at least 2 days ago"),
        (["--restore", "x", "--dry-run"], "takes neither"),
    ],
)
def test_wrong_calls(command, arguments, sentence):
    with pytest.raises(WrongCallError, match=sentence):
        command(*arguments)


def test_a_second_one_is_told_to_wait(command, archive):
    many_changes(1, start=LONG_AGO)
    with (
        archiving.alone(archive.configuration),
        pytest.raises(CommandError, match="by another process") as refused,
    ):
        command("--older-than", 30)
    assert refused.value.returncode == 75
