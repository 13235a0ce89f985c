"""A package and its users over time, with the command and the admin pages only."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from catalogs.models import Warehouse
from platform_site.changes.models import ChangeEvent
from tests.records.pages import add, save, typed, url

pytestmark = pytest.mark.django_db(transaction=True)


class Story:
    """Warehouses, the package that contains them, and an administrator's browser."""

    def __init__(self, client, folder):
        self.client = client
        self.file = folder / "warehouses.json"
        self.names = {"A": "First", "B": "Second", "C": "Third"}
        self.keys = {}

    def run(self):
        """Apply the package with the command; return outcomes by code."""
        items = [
            {"$id": f"wh:{code}", "code": code, "name": name}
            for code, name in self.names.items()
        ]
        step = {"dictionary": "Warehouses", "items": items, **self.keys}
        header = {
            "format": "platform-import/1",
            "package": "story",
            "version": 1,
            "origin": "import",
            "configuration": "Trade",
        }
        self.file.write_text(json.dumps({**header, "steps": [step]}))
        out = StringIO()
        call_command("import_package", str(self.file), "--format", "json", stdout=out)
        entries = json.loads(out.getvalue())["items"]
        return {entry["id"].removeprefix("wh:"): entry["outcome"] for entry in entries}

    def row(self, code):
        return Warehouse.objects.get(code=code)


@pytest.fixture
def story(client, tmp_path, db):
    client.force_login(get_user_model().objects.get(username="admin"))
    return Story(client, tmp_path)


def test_a_second_run_changes_nothing_and_a_changed_name_changes_one_row(story):
    assert set(story.run().values()) == {"Inserted"}
    before = list(Warehouse.objects.values()), ChangeEvent.objects.count()
    assert set(story.run().values()) == {"Unchanged"}
    assert (list(Warehouse.objects.values()), ChangeEvent.objects.count()) == before
    story.names["B"] = "Second and a half"
    assert story.run() == {"A": "Unchanged", "B": "Updated", "C": "Unchanged"}
    assert ChangeEvent.objects.count() == before[1] + 1


def test_rows_edited_by_a_user_are_kept(story):
    story.run()
    assert save(story.client, story.row("A"), name="Mine").status_code == 302
    story.names["A"] = "The package's"
    assert story.run()["A"] == "SkippedUserModified"
    assert story.row("A").name == "Mine"


def test_a_row_deleted_by_a_user_stays_deleted_until_the_step_restores_it(story):
    story.run()
    story.client.post(url(story.row("B"), "delete"), {"post": "yes"})
    assert story.row("B").is_deleted
    assert story.run()["B"] == "SkippedDeleted"
    story.keys = {"onDeleted": "restore"}
    assert story.run()["B"] == "Restored"
    assert not story.row("B").is_deleted


def test_a_row_created_by_a_user_is_adopted(story):
    made = add(story.client, Warehouse, code="A", name="By hand", address="")
    assert made.status_code == 302
    story.keys = {"match": ["code"]}
    assert story.run() == {"A": "Adopted", "B": "Inserted", "C": "Inserted"}
    assert Warehouse.objects.count() == 3
    assert story.row("A").name == "First"
    assert set(story.run().values()) == {"Unchanged"}


def test_saving_a_page_without_a_change_leaves_the_row_to_the_package(story):
    story.run()
    row, events = story.row("A"), ChangeEvent.objects.count()
    answer = story.client.post(url(row, "change"), typed(row))
    assert answer.status_code == 302
    again = story.row("A")
    assert (again.version, again.modified) == (row.version, row.modified)
    assert ChangeEvent.objects.count() == events
    story.names["A"] = "Changed in the package"
    assert story.run()["A"] == "Updated"
