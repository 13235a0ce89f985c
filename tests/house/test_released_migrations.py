"""Released migrations stay: an installation that has recorded them must be able to go on
with every later version (HOST-171)."""

from __future__ import annotations

import re

from django.db.migrations.loader import MigrationLoader

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.host.migration_history import unknown_migrations
from tests.house import released_migrations
from tests.house.released_migrations import LIBRARYS, LIST, listed, present

AGAIN = "Run `make released-migrations`, and commit the list with the release."


def test_every_released_migration_is_still_known_to_this_version():
    """By the rule of the start, which refuses a database with one that is not.

    HOST-171.
    """
    built = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    replaced = [name for migration in built.values() for name in migration.replaces]
    assert unknown_migrations(listed(), built, replaced) == ()


def test_no_released_migration_of_ours_was_renamed_or_rewritten():
    """HOST-171."""
    ours = {name: sum_ for name, sum_ in listed().items() if sum_ != LIBRARYS}
    assert ("catalogs", "0001_initial") in ours
    now = present()
    assert {name for name, sum_ in ours.items() if now.get(name) != sum_} == set()


def test_a_released_version_has_all_its_migrations_on_the_list():
    changelog = (APPLICATION_FOLDER / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \d.*$", changelog, re.M)
    assert newest is not None
    if "unreleased" not in newest[0]:
        assert set(present()) - set(listed()) == set(), AGAIN


def test_an_added_app_has_no_migrations_on_the_list(monkeypatch):
    monkeypatch.setattr(released_migrations, "added_labels", lambda: ("catalogs",))
    assert {app for app, _name in present()} >= {"documents", "auth"}
    assert "catalogs" not in {app for app, _name in present()}


def test_the_list_is_in_order_and_names_each_once():
    lines = LIST.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
