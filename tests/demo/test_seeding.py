"""The states of a demo installation, row by row, through the public operations."""

from __future__ import annotations

import logging

import pytest
from django.apps import apps
from django.contrib.auth import authenticate
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.utils import timezone

from catalogs.models import UnitOfMeasure
from demo import receivers, seeding
from demo.models import DemoInstallation
from demo.seeding import DemoRefused, apply_pending_update, get_installation, seed
from demo.users import DemoUser, TradeDemoUsers, demo_users
from importer.models import ImportRun
from importer.runs.lock import import_lock
from importer.services import AppliedPackage, ImportInProgress
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user, delete_user
from platform_site.changes.models import ChangeEvent
from tests.builders import a_package, delete_row, edit_row, row_of
from tests.demo.conftest import small_demo, user_names

pytestmark = pytest.mark.django_db
PEOPLE = {"sales", "warehouse", "bookkeeping", "visitor"}


def codes():
    return set(UnitOfMeasure.objects.live().values_list("code", flat=True))


def broken():
    """Build the small package with a second object that no catalog takes."""
    built = small_demo(units=["kg"])
    return built.item("unit:l", code="l" * 40, name="litre").unit("unit:m", "m")


@pytest.fixture
def admin():
    return User.objects.get(username="admin")


@pytest.fixture
def seeded(embed):
    embed(small_demo())
    seed()


# No marker: seeding.


def test_a_regular_installation_is_no_demo_installation():
    assert get_installation() is None
    assert user_names() == set()


def test_seeding_applies_the_package_and_writes_marker_and_users(embed):
    embed(small_demo())
    before = timezone.now()
    report = seed()
    assert report.counts["Inserted"] == 2
    assert codes() == {"kg", "l"}
    installation = get_installation()
    assert installation.package == "small-demo"
    assert before <= installation.seeded_at <= timezone.now()
    assert user_names() == PEOPLE


def test_the_default_is_the_first_embedded_package_of_demo_data(embed):
    embed(a_package("price-list"), small_demo("first"), small_demo("second"))
    seed()
    assert get_installation().package == "first"


def test_another_demo_package_can_be_asked_for_by_its_name(embed):
    embed(small_demo("first"), small_demo("second"))
    seed("second")
    assert get_installation().package == "second"


@pytest.mark.parametrize("name", ["nowhere", "price-list", ""])
def test_what_is_no_demo_package_is_refused_in_a_sentence(embed, name):
    embed(a_package("price-list").with_step("UnitsOfMeasure"), small_demo())
    with pytest.raises(DemoRefused, match=f"“{name}”"):
        seed(name)
    assert get_installation() is None


def test_rows_are_marked_and_told_as_demo_data_and_users_as_of_the_system(seeded):
    assert row_of("UnitsOfMeasure", "kg").import_origin == "DemoSeed"
    rows = ChangeEvent.objects.filter(model="UnitsOfMeasure")
    assert {(event.origin, event.user_name) for event in rows} == {
        ("Demo data", "admin")
    }
    people = ChangeEvent.objects.filter(model="Users", row__in=PEOPLE)
    assert {event.origin for event in people} == {"System"}
    assert people.count() == len(PEOPLE)


def test_seeding_works_while_admin_is_disabled_and_leaves_it_disabled(embed, admin):
    embed(small_demo())
    User.objects.filter(pk=admin.pk).update(is_active=False, is_superuser=False)
    admin.groups.clear()
    assert seed().counts["Inserted"] == 2
    admin.refresh_from_db()
    assert not admin.is_active


@pytest.mark.parametrize("person", TradeDemoUsers().get_demo_users())
def test_a_demo_user_has_name_mail_password_and_roles(seeded, rf, person):
    user = authenticate(
        rf.post("/"), username=person.user_name, password=person.password
    )
    assert user.email == person.email
    assert user.email.endswith(".example.com")
    assert set(user.groups.values_list("name", flat=True)) == set(person.roles)


def test_there_are_at_most_four_demo_users():
    assert len(demo_users()) <= 4


def test_errors_leave_neither_marker_nor_users_and_a_repeat_continues(embed):
    embed(broken())
    report = seed()
    assert report.has_errors
    # The first error ends the run.
    assert codes() == {"kg"}
    assert (get_installation(), user_names()) == (None, set())
    embed(small_demo(units=["kg", "l", "m"]))
    report = seed()
    assert (report.counts["Unchanged"], report.counts["Inserted"]) == (1, 2)
    assert get_installation() is not None
    assert user_names() == PEOPLE


def test_more_users_than_the_licence_allows_are_refused_before_anything(embed):
    create_user(user_name="second", password="a long pass phrase")
    embed(small_demo())
    with pytest.raises(DemoRefused, match="allows 5 users, and 6 would be needed"):
        seed()
    assert (codes(), user_names()) == (set(), {"second"})
    assert not ImportRun.objects.exists()


def test_disabled_people_count_and_service_users_do_not(embed):
    embed(small_demo())
    create_user(user_name="agent-2", password="a long pass phrase", is_service=True)
    idle = create_user(user_name="idle", password="a long pass phrase", is_active=False)
    with pytest.raises(DemoRefused):
        seed()
    delete_user(user=idle)
    assert not seed().has_errors


def test_a_user_who_has_the_name_of_a_demo_user_stays_and_counts_once(embed):
    create_user(
        user_name="sales", password="a long pass phrase", email="own@example.com"
    )
    embed(small_demo())
    seed()
    assert user_names() == PEOPLE
    assert User.objects.get(username="sales").email == "own@example.com"
    assert not User.objects.get(username="sales").groups.exists()


def test_a_missing_role_is_refused_before_anything(embed):
    Group.objects.filter(name="employee").delete()
    embed(small_demo())
    with pytest.raises(DemoRefused, match="There is no role “employee”"):
        seed()
    assert (codes(), user_names()) == (set(), set())


class OneGuest:
    def get_demo_users(self):
        return [DemoUser("guest", "guest@example.com", "Guest-123!", ("user",))]


def test_the_configuration_names_the_provider_of_the_users(embed, settings):
    settings.PLATFORM_DEMO_USERS = f"{__name__}.OneGuest"
    embed(small_demo())
    seed()
    assert user_names() == {"guest"}


def test_a_crash_before_the_marker_leaves_no_users_and_a_repeat_completes(
    embed, monkeypatch
):
    embed(small_demo())
    created = iter([create_user])

    def crash(**account):
        return next(created)(**account)

    with monkeypatch.context() as patched:
        patched.setattr(seeding, "create_user", crash)
        with pytest.raises(StopIteration):
            seed()
    assert (get_installation(), user_names()) == (None, set())
    assert seed().counts["Unchanged"] == 2
    assert user_names() == PEOPLE


def test_a_seeding_that_finds_the_marker_at_its_end_creates_nobody(embed, monkeypatch):
    embed(small_demo())
    real = seeding.import_package

    def another_was_faster(*args, **options):
        DemoInstallation.objects.create(package="small-demo", seeded_at=timezone.now())
        return real(*args, **options)

    monkeypatch.setattr(seeding, "import_package", another_was_faster)
    seed()
    assert user_names() == set()


def test_seeding_while_an_import_runs_is_refused(embed):
    embed(small_demo())
    with import_lock("somebody", "an import"), pytest.raises(ImportInProgress):
        seed()
    assert get_installation() is None


# A marker: seeding does nothing.


def test_seeding_a_demo_installation_does_nothing(seeded):
    delete_user(user=User.objects.get(username="visitor"))
    before = (ImportRun.objects.count(), ChangeEvent.objects.count())
    assert seed() is None
    assert seed("small-demo") is None
    assert (ImportRun.objects.count(), ChangeEvent.objects.count()) == before
    assert "visitor" not in user_names()


# A marker: updates.


def test_a_higher_version_adds_what_is_new_and_keeps_what_a_user_changed(
    seeded, embed, admin
):
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


def test_an_update_goes_on_after_errors_tells_them_and_is_tried_again(
    seeded, embed, caplog
):
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
