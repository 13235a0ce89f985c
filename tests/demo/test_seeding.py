"""The states of a demo installation, row by row, through the public operations."""

from __future__ import annotations

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import Group
from django.utils import timezone

from demo import seeding
from demo.models import DemoInstallation
from demo.seeding import DemoRefused, get_installation, seed
from demo.users import DemoUser, TradeDemoUsers, demo_users
from importer.models import ImportRun
from importer.runs.lock import import_lock
from importer.services import ImportInProgress
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user, delete_user
from platform_site.changes.models import ChangeEvent
from tests.builders import a_package, row_of
from tests.demo.conftest import broken, codes, small_demo, user_names

pytestmark = pytest.mark.django_db
PEOPLE = {"sales", "warehouse", "bookkeeping", "visitor"}


# No marker: seeding.


def test_a_regular_installation_is_no_demo_installation():
    """IMP-150, IMP-248."""
    assert get_installation() is None
    assert user_names() == set()


def test_seeding_applies_the_package_and_writes_marker_and_users(embed):
    """IMP-233."""
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


def test_rows_have_the_origin_demo_data_and_users_that_of_the_system(seeded):
    assert row_of("UnitsOfMeasure", "kg").import_origin == "DemoSeed"
    rows = ChangeEvent.objects.filter(model="UnitsOfMeasure")
    assert {(event.origin, event.user_name) for event in rows} == {
        ("Demo data", "admin")
    }
    people = ChangeEvent.objects.filter(model="Users", row__in=PEOPLE)
    assert {event.origin for event in people} == {"System"}
    assert people.count() == len(PEOPLE)


def test_seeding_works_while_admin_is_disabled_and_leaves_it_disabled(embed, admin):
    """OPEN-67."""
    embed(small_demo())
    User.objects.filter(pk=admin.pk).update(is_active=False, is_superuser=False)
    admin.groups.clear()
    assert seed().counts["Inserted"] == 2
    admin.refresh_from_db()
    assert not admin.is_active


@pytest.mark.parametrize("person", TradeDemoUsers().get_demo_users())
def test_a_demo_user_has_name_mail_password_and_roles(seeded, rf, person):
    """IMP-152 to IMP-155."""
    user = authenticate(
        rf.post("/"), username=person.user_name, password=person.password
    )
    assert user.email == person.email
    assert user.email.endswith(".example.com")
    assert set(user.groups.values_list("name", flat=True)) == set(person.roles)


def test_there_are_at_most_four_demo_users():
    """OPEN-69."""
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
    """OPEN-68."""
    create_user(user_name="second", password="a long pass phrase")
    embed(small_demo())
    with pytest.raises(DemoRefused, match="allows 5 users, and 6 would be needed"):
        seed()
    assert (codes(), user_names()) == (set(), {"second"})
    assert not ImportRun.objects.exists()


def test_disabled_users_count_for_the_licence_and_service_users_do_not(embed):
    """OPEN-68."""
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
