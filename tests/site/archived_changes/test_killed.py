"""An archiving that ends at any moment: the next one finishes it, and every change is in the
history or in exactly one file."""

from __future__ import annotations

import pytest
from django.utils import timezone

from platform_site.changes.models import ArchivedChanges
from platform_site.site.archived_changes import archiving, files, restoring
from tests.site.archived_changes.conftest import events, many_changes

pytestmark = pytest.mark.django_db(transaction=True)


class Killed(BaseException):
    """The end of the process."""


class Killer:
    """It ends the work at one of the moments between which something becomes lasting."""

    def __init__(self, monkeypatch):
        self.left = None
        for module, name in (
            (files, "sync_file"),
            (files, "check"),
            (archiving, "sync_folder"),
            (archiving, "_delete"),
            (archiving, "_moved"),
            (archiving, "record_security_change"),
            (restoring, "_insert"),
            (restoring, "record_security_change"),
        ):
            monkeypatch.setattr(module, name, self._ending(getattr(module, name)))

    def _ending(self, real):
        def called(*args, **kwargs):
            self._count()
            found = real(*args, **kwargs)
            self._count()
            return found

        return called

    def _count(self):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Killed


@pytest.fixture
def killer(monkeypatch):
    monkeypatch.setattr(archiving, "_AT_ONCE", 10)
    monkeypatch.setattr(restoring, "_AT_ONCE", 10)
    return Killer(monkeypatch)


def killed_anywhere(killer, work):
    """Begin some work anew until it isn't killed, each time a little later; return how
    often it was."""
    times = 0
    while True:
        killer.left = times
        try:
            work()
        except Killed:
            times += 1
            continue
        killer.left = None
        return times


def test_nothing_is_lost_and_nothing_is_in_two_files(archive, killer):
    many_changes(60)
    before = events()
    kills = killed_anywhere(killer, archive)
    assert kills > 10
    archived = [each for path in archive.files for each in files.changes_of(path)]
    keys = [each.id for each in archived]
    assert len(keys) == len(set(keys)) == 59
    after = events()
    assert set(before) == {*keys, *set(after).intersection(before)}
    assert not set(keys) & set(after)
    assert {path.name for path in archive.folder.iterdir()} == {
        path.name for path in archive.files
    }
    assert {row.file for row in ArchivedChanges.objects.all()} == set(
        map(str, archive.files)
    )
    assert killed_anywhere(killer, archive.restore) > 10
    after = events()
    assert {key: after[key] for key in before} == before


def test_a_lost_file_stops_everything_before_anything_is_deleted(archive, killer):
    many_changes(5)
    before = events()
    killer.left = None
    row = archiving._archived(
        _folder(archive),
        *next(iter(archiving._months(found := archiving.limits(timezone.now())))),
        found,
    )
    files.unfinished(archive.folder / str(row)).unlink()
    with pytest.raises(archiving.ArchivingError, match="are still to be deleted"):
        archive()
    assert events() == before


def _folder(archive):
    archive.folder.mkdir(parents=True)
    return archive.folder
