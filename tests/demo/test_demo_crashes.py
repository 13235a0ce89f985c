"""Seeding that is killed in the middle, or begun twice at once, on both databases."""

from __future__ import annotations

import signal

import pytest

from importer.management.exit_codes import BUSY
from tests.journeys.installation import (
    BOTH,
    LIMIT_SECONDS,
    PostgresInstallation,
    installed,
    wait_until,
)

pytestmark = pytest.mark.process
PEOPLE = ["bookkeeping", "sales", "visitor", "warehouse"]


@pytest.fixture(params=BOTH)
def installation(request, tmp_path):
    """Return a fresh installation without demo data."""
    with installed(request.param, tmp_path / "data") as one:
        yield one


def people(installation):
    found = installation.rows(
        "SELECT username FROM accounts_user WHERE username NOT IN"
        " ('admin', 'mcp-agent', 'jobs-scheduler') ORDER BY username"
    )
    return [name for (name,) in found]


def markers(installation):
    return installation.rows("SELECT package FROM demo_demoinstallation")


def count(installation, table):
    ((number,),) = installation.rows(f"SELECT count(*) FROM {table}")
    return number


def assert_complete(installation):
    assert markers(installation) == [("demo-company",)]
    assert people(installation) == PEOPLE
    (told,) = installation.rows(
        'SELECT count(*), count(DISTINCT "Import_Key") FROM catalogs_item'
    )
    assert told[0] == told[1] > 100
    created = installation.rows(
        "SELECT count(*), count(DISTINCT row_id) FROM changes_changeevent"
        " WHERE model = 'Items' AND action = 'created'"
    )
    assert created == [told]


def test_a_killed_seeding_leaves_no_marker_and_no_users_and_the_next_start_continues(
    installation,
):
    installation.env["Demo__Seed"] = "true"
    with installation.running("startup") as process:
        wait_until(lambda: count(installation, "catalogs_item") > 10, process)
        process.send_signal(signal.SIGKILL)
        process.wait(LIMIT_SECONDS)
    assert (markers(installation), people(installation)) == ([], [])
    done = installation.command("startup")
    assert done.returncode == 0, done.stderr
    assert_complete(installation)


def test_of_two_seedings_at_once_one_does_it_and_nothing_is_there_twice(installation):
    with (
        installation.running("seed_demo") as first,
        installation.running("seed_demo") as second,
    ):
        ends = [each.communicate(timeout=LIMIT_SECONDS) for each in (first, second)]
    codes = sorted([first.returncode, second.returncode])
    # The other one is refused, or comes when it is done; it never fails.
    assert codes in ([0, 0], [0, BUSY]), ends
    assert "Traceback" not in str(ends)
    assert_complete(installation)


# In one data folder the instance lock lets only one of them begin.
@pytest.mark.parametrize("installation", [PostgresInstallation], indirect=True)
def test_two_starts_at_once_both_end_well_and_seed_once(installation):
    installation.env["Demo__Seed"] = "true"
    with installation.running("startup") as first:
        # Another server beside it has a data folder of its own.
        folder = installation.data.parent / "another"
        installation.env["Platform__DataPath"] = str(folder)
        with installation.running("startup") as second:
            both = (first, second)
            ends = [each.communicate(timeout=LIMIT_SECONDS) for each in both]
    assert [each.returncode for each in both] == [0, 0], ends
    assert_complete(installation)
