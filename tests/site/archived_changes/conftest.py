"""Old changes of one row, and how they are archived and put back in this process."""

from __future__ import annotations

import datetime

import pytest
from django.db import models
from django.utils import timezone

from platform_site.accounts.models import User
from platform_site.changes.models import ChangeEvent
from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.site.archived_changes import archiving, restoring
from tests.catalogs.rows import a_unit

LONG_AGO = datetime.datetime(2026, 3, 10, 12, tzinfo=datetime.UTC)


class Archive:
    """A folder of archived changes, in a data folder of its own."""

    def __init__(self, data):
        self.data = data
        self.configuration = build(
            read_settings({"Platform__DataPath": str(data)}, None)
        )
        self.folder = data / "archive" / "changes"
        self.told = []

    def __call__(self, before=None):
        moment = before or timezone.now()
        return archiving.archive_changes(
            self.configuration, moment, self.folder, self.told.append
        )

    def preview(self, before=None):
        return archiving.preview(self.configuration, before or timezone.now())

    def restore(self, *paths):
        restoring.restore_changes(
            self.configuration, paths or self.files, self.told.append
        )

    @property
    def files(self):
        return sorted(self.folder.glob("changes-*.jsonl.gz"))


@pytest.fixture
def archive(tmp_path):
    (tmp_path / "db").mkdir(mode=0o700)
    return Archive(tmp_path)


def many_changes(number, start=LONG_AGO, days=1, **about):
    """Write changes of a new unit, one each day by the platform itself, and return the
    unit. Its first change and the last one stay."""
    unit = a_unit()
    created = ChangeEvent.objects.order_by("-id").first()
    if number:
        # Not with the manager of events, which refuses it.
        stored = models.QuerySet(ChangeEvent).filter(pk=created.pk)
        stored.update(at=start - datetime.timedelta(days=1))
    for n in range(number):
        values = {
            "at": start + datetime.timedelta(days=days * n),
            "action": "updated",
            "origin": "System",
            "model": "UnitsOfMeasure",
            "row_id": unit.pk,
            "row": f"{unit} № {n}",
            "changes": {"name": [f"N{n}", f"N{n + 1}"], "price": ["1.50", None]},
            "request_id": f"request-{n}",
            "user": User.objects.get(username="admin"),
            "user_name": "admin",
            **about,
        }
        ChangeEvent(**values).save()
    return unit


def events():
    """Return every column of the history, by id."""
    return {row["id"]: row for row in ChangeEvent.objects.order_by("id").values()}
