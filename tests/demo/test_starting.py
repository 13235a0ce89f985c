"""What each later start does about demo data: seed where asked, update, never fail."""

from __future__ import annotations

import logging

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management import call_command

from demo import receivers, seeding
from demo.seeding import apply_pending_update, get_installation, seed
from importer.models import ImportRun
from importer.runs.lock import import_lock
from importer.services import AppliedPackage, undo_run
from platform_site.accounts.models import User
from platform_site.accounts.services import delete_user
from tests.builders import a_package, delete_row, edit_row, row_of
from tests.demo.conftest import broken, codes, small_demo, user_names

pytestmark = pytest.mark.django_db
PEOPLE = {"sales", "warehouse", "bookkeeping", "visitor"}


# A marker: updates.


def test_a_higher_version_adds_what_is_new_and_keeps_what_a_user_changed(
    seeded, embed, admin
):
    """IMP-244, IMP-245."""
    marker = get_installation().seeded_at
    edit_row(row_of("UnitsOfMeasure", "kg"), actor=admin, name="mine")
    delete_row(row_of("UnitsOfMeasure", "l"), actor=admin)
    delete_user(user=User.objects.get(username="visitor"))
    newer = small_demo(version=2, units=["l", "m"]).unit("unit:kg", "kg", name="theirs")
    embed(newer)
    report = apply_pending_update()
    assert {k: v for k, v in report.counts.items() if v} == {
        "Inserted": 1,
        "SkippedUserModified": 1,
        "SkippedDeleted": 1,
    }
    assert codes() == {"kg", "m"}
    assert row_of("UnitsOfMeasure", "kg").name == "mine"
    assert AppliedPackage.objects.get(pk="small-demo").version == 2
    assert get_installation().seeded_at == marker
    assert "visitor" not in user_names()
    assert apply_pending_update() is None


def test_an_update_that_somebody_has_undone_does_not_come_back(seeded, embed, admin):
    embed(small_demo(version=2, units=["l", "m"]))
    report = apply_pending_update()
    assert "m" in codes()
    undo_run(report.run_id, user=admin)
    assert "m" not in codes()
    assert AppliedPackage.objects.get(pk="small-demo").version == 1
    assert apply_pending_update() is None
    embed(small_demo(version=3, units=["l", "m"]))
    assert apply_pending_update().counts["Inserted"] == 1


def test_an_update_keeps_what_users_did_whatever_the_steps_of_the_package_say(
    seeded, embed, admin
):
    """IMP-246: the update applies with default policies."""
    edit_row(row_of("UnitsOfMeasure", "kg"), actor=admin, name="mine")
    delete_row(row_of("UnitsOfMeasure", "l"), actor=admin)
    newer = small_demo(version=2, units=["l", "m"]).unit("unit:kg", "kg", name="theirs")
    newer.steps[0] |= {"onUserModified": "overwrite", "onDeleted": "restore"}
    embed(newer)
    counts = apply_pending_update().counts
    assert {name: count for name, count in counts.items() if count} == {
        "Inserted": 1,
        "SkippedUserModified": 1,
        "SkippedDeleted": 1,
    }
    assert codes() == {"kg", "m"}
    assert row_of("UnitsOfMeasure", "kg").name == "mine"


def test_an_update_takes_changes_over_though_a_step_says_skip(seeded, embed):
    newer = small_demo(version=2, units=["l"]).unit("unit:kg", "kg", name="theirs")
    newer.steps[0] |= {"onChange": "skip"}
    embed(newer)
    assert apply_pending_update().counts["Updated"] == 1


@pytest.mark.parametrize("version", [1, 2])
def test_the_applied_version_or_a_lower_one_is_not_applied(embed, version):
    embed(small_demo(version=2))
    seed()
    embed(small_demo(version=version, units=["kg", "l", "m"]))
    assert apply_pending_update() is None
    assert codes() == {"kg", "l"}


def test_without_a_marker_there_is_nothing_to_update(embed):
    embed(small_demo(version=7))
    assert apply_pending_update() is None
    assert not ImportRun.objects.exists()


def test_only_the_package_of_the_marker_is_updated(seeded, embed):
    embed(small_demo("another", version=9, units=["m"]), small_demo())
    assert apply_pending_update() is None
    embed(small_demo("another", version=9, units=["m"]))
    assert apply_pending_update() is None
    assert codes() == {"kg", "l"}


def test_an_update_continues_after_errors_reports_them_and_is_repeated(
    seeded, embed, caplog
):
    """OPEN-70."""
    newer = broken()
    newer.header["version"] = 2
    embed(newer)
    with caplog.at_level(logging.ERROR, "platform"):
        report = apply_pending_update()
    assert codes() == {"kg", "l", "m"}
    assert report.has_errors
    assert "The demo data was updated with errors" in caplog.text
    assert "steps[0].items[1]" in caplog.text
    assert AppliedPackage.objects.get(pk="small-demo").version == 1
    assert apply_pending_update() is not None


def test_an_update_that_cannot_even_begin_is_logged(seeded, embed, caplog):
    embed(small_demo(version=2))
    with import_lock("somebody", "an import"), caplog.at_level(logging.ERROR):
        assert apply_pending_update() is None
    assert "the next start tries again" in caplog.text
    assert apply_pending_update().counts["Unchanged"] == 2


# The start: what happens after each migrate.


def start():
    receivers.seed_after_migrate(apps.get_app_config("demo"), using="default")


def test_a_start_seeds_nothing_unless_the_settings_ask(embed):
    embed(small_demo())
    start()
    assert get_installation() is None


def test_a_start_seeds_once_where_the_settings_ask(embed, settings):
    """OPEN-67."""
    settings.PLATFORM_DEMO_SEED = True
    embed(small_demo())
    start()
    start()
    assert get_installation().package == "small-demo"
    assert ImportRun.objects.count() == 1


def test_migrate_is_such_a_start(embed, settings):
    settings.PLATFORM_DEMO_SEED = True
    embed(small_demo())
    call_command("migrate", verbosity=0)
    assert user_names() == PEOPLE


def test_a_start_applies_the_pending_update(seeded, embed):
    """IMP-243."""
    embed(small_demo(version=2, units=["kg", "l", "m"]))
    start()
    assert codes() == {"kg", "l", "m"}


def trouble():
    return [
        (broken(), "could not be loaded", None),
        (a_package("price-list"), "No package of demo data", None),
        (small_demo(), "users", ValidationError("no room for users")),
        (small_demo(), "next start tries again", OSError("disk full")),
    ]


@pytest.mark.parametrize(("package", "words", "error"), trouble())
def test_a_failure_is_logged_and_never_stops_a_start(
    embed, settings, caplog, monkeypatch, package, words, error
):
    """IMP-247."""
    settings.PLATFORM_DEMO_SEED = True
    embed(package)
    if error:

        def fail(**account):
            raise error

        monkeypatch.setattr(seeding, "create_user", fail)
    with caplog.at_level(logging.ERROR, "platform"):
        start()
    assert words in caplog.text
    assert get_installation() is None


def test_a_database_that_is_being_unwound_is_left_alone(settings, monkeypatch):
    settings.PLATFORM_DEMO_SEED = True
    tables = {"demo_demoinstallation"}
    monkeypatch.setattr(
        receivers.connection.introspection, "table_names", lambda: list(tables)
    )
    start()
    assert not ImportRun.objects.exists()


def test_a_start_without_demo_data_asks_no_more_than_two_questions(
    django_assert_max_num_queries,
):
    with django_assert_max_num_queries(2):
        start()
