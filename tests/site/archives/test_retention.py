"""Which archives are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from platform_site.site.archives.retention import outdated, remove_outdated
from platform_site.site.host.archive_folder import (
    ArchiveState,
    archive_name,
    archives,
    write_state,
)

NOW = datetime.now(UTC)


def make(folder, *ages, bad=(), by_hand=False):
    """Write archives that are so many days old."""
    folder.mkdir(exist_ok=True)
    for age in ages:
        path = folder / archive_name(
            NOW - timedelta(days=age), encrypted=age % 2 == 0, by_hand=by_hand
        )
        path.write_bytes(b"archive")
        state = ArchiveState(verified_at="" if age in bad else "2026-11-01T00:00:00")
        write_state(path, state)


def ages(found):
    return [round((NOW - one.taken) / timedelta(days=1)) for one in found]


def test_archives_are_deleted_by_number_and_by_age(tmp_path):
    make(tmp_path, *range(10))
    found = archives(tmp_path)
    assert ages(found) == list(range(10))
    assert ages(outdated(found, NOW, days=0, number=7)) == [7, 8, 9]
    assert ages(outdated(found, NOW, days=5, number=0)) == [6, 7, 8, 9]
    assert ages(outdated(found, NOW, days=5, number=3)) == [3, 4, 5, 6, 7, 8, 9]
    assert outdated(found, NOW, days=0, number=0) == []
    assert outdated([], NOW, days=1, number=1) == []


def test_the_newest_good_one_is_never_deleted(tmp_path):
    make(tmp_path, 40, 50, 60, 70, bad=(40, 50))
    assert ages(outdated(archives(tmp_path), NOW, days=30, number=1)) == [50, 70]


def test_those_made_by_hand_are_deleted_by_age_alone(tmp_path):
    make(tmp_path, 2, 4, 6, 8)
    make(tmp_path, 1, 3, 5, 7, by_hand=True)
    found = archives(tmp_path)
    assert ages(found) == list(range(1, 9))
    assert ages(outdated(found, NOW, days=0, number=3)) == [8]
    assert ages(outdated(found, NOW, days=0, number=1)) == [4, 6, 8]
    assert ages(outdated(found, NOW, days=4, number=2)) == [5, 6, 7, 8]


def test_only_archives_and_their_records_are_deleted(tmp_path):
    make(tmp_path, 1, 2)
    foreign = [
        "platform-20200101T000000000000Z-before-catalogs.0002_more.db",
        "platform-20200101T000000000000Z-before-restore.dump",
        "my-platform-20200101T000000000000Z-all.tar.gz",
        "platform-20200101T000000000000Z-all.tar.gz.bak",
        "notes.txt",
    ]
    for name in foreign:
        (tmp_path / name).write_text("mine")
    remove_outdated(tmp_path, days=1, number=1)
    kept = sorted(path.name for path in tmp_path.iterdir())
    newest = archive_name(NOW - timedelta(days=1), encrypted=False)
    assert kept == sorted([*foreign, newest, f"{newest}.json"])
