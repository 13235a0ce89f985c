"""Demo installations made and kept by real starts, as an operator sees them."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from tests.builders import a_package
from tests.first_start import started_once
from tests.site.host.test_serve import announced, command, environment, start, stop

pytestmark = pytest.mark.process
PEOPLE = {"sales", "warehouse", "bookkeeping", "visitor"}


def asked(data, query):
    with contextlib.closing(sqlite3.connect(data / "db" / "platform.db")) as database:
        return database.execute(query).fetchall()


def people(data):
    names = {name for (name,) in asked(data, "SELECT username FROM accounts_user")}
    return names - {"admin", "mcp-agent", "jobs-scheduler"}


def runs(data):
    return asked(data, "SELECT status, has_errors FROM importer_importrun")


def markers(data):
    return asked(data, "SELECT package FROM demo_demoinstallation")


def ended_well(*arguments, env):
    ended = command(*arguments, env=env)
    assert ended.returncode == 0, ended.stderr
    return ended


def test_a_plain_start_makes_no_demo_installation(tmp_path):
    data = tmp_path / "data"
    ended_well("startup", env=environment(data))
    assert (markers(data), people(data), runs(data)) == ([], set(), [])


def test_serving_with_the_setting_seeds_once_and_later_starts_change_nothing(tmp_path):
    data = tmp_path / "data"
    first = start(data, Demo__Seed="true")
    announced(first)
    assert stop(first) == 0
    assert markers(data) == [("demo-company",)]
    assert people(data) == PEOPLE
    assert runs(data) == [("Completed", 0)]
    events = asked(data, "SELECT count(*) FROM changes_changeevent")
    # A deleted demo user stays away, with the setting and without.
    with contextlib.closing(sqlite3.connect(data / "db" / "platform.db")) as database:
        theirs = "(SELECT id FROM accounts_user WHERE username = 'visitor')"
        database.execute(f"DELETE FROM accounts_user_groups WHERE user_id = {theirs}")
        database.execute("DELETE FROM accounts_user WHERE username = 'visitor'")
        database.commit()
    for settings in ({"Demo__Seed": "true"}, {}):
        ended_well("startup", env=environment(data, **settings))
    assert people(data) == PEOPLE - {"visitor"}
    assert runs(data) == [("Completed", 0)]
    assert asked(data, "SELECT count(*) FROM changes_changeevent") == events


def test_a_start_brings_a_lower_applied_version_up_to_date(tmp_path):
    data = started_once(tmp_path / "data")
    ended_well("seed_demo", env=environment(data))
    with contextlib.closing(sqlite3.connect(data / "db" / "platform.db")) as database:
        database.execute("UPDATE importer_appliedpackage SET version = 0")
        database.commit()
    ended_well("startup", env=environment(data))
    assert len(runs(data)) == 2
    ended_well("startup", env=environment(data))
    assert len(runs(data)) == 2


def test_a_start_that_cannot_seed_continues_without_demo_data(tmp_path):
    data = started_once(tmp_path / "data")
    with contextlib.closing(sqlite3.connect(data / "db" / "platform.db")) as database:
        # One person too many for the Free licence.
        database.execute(
            "INSERT INTO accounts_user (password, is_superuser, username, first_name,"
            " last_name, email, is_staff, is_active, date_joined, time_zone, language,"
            " is_service, token_stamp) VALUES ('', 0, 'second', '', '', '', 0, 1,"
            " '2026-01-01 00:00:00', '', '', 0, '')"
        )
        database.commit()
    ended = ended_well("startup", env=environment(data, Demo__Seed="true"))
    assert "allows 5 users" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert (markers(data), runs(data)) == ([], [])


def test_a_package_with_errors_leaves_no_marker_and_the_next_start_continues(tmp_path):
    data = started_once(tmp_path / "data")

    def own_warehouse(code):
        own = a_package("own").with_step("Warehouses")
        own.item("mine", code=code, name="The company's own")
        file = own.as_file(tmp_path / "own.json")
        ended_well("import_package", str(file), env=environment(data))

    # A code that the demo company wants to have.
    own_warehouse("MAIN")
    ended = ended_well("startup", env=environment(data, Demo__Seed="true"))
    assert "The demo data could not be loaded" in ended.stderr
    assert "items[0].code" in ended.stderr
    assert (markers(data), people(data)) == ([], set())
    own_warehouse("OWN")
    ended_well("startup", env=environment(data, Demo__Seed="true"))
    assert (markers(data), people(data)) == ([("demo-company",)], PEOPLE)
