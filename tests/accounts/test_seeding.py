"""Seeding: the contents of a fresh installation, and what further starts don't
change."""

from __future__ import annotations

import logging
import threading

import pytest
from django.apps import apps
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection
from django.db.models import Max

from platform_site.accounts import receivers, seeding
from platform_site.accounts.built_in import ROLES
from platform_site.accounts.models import SeededPermission, User
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD, seed_accounts
from platform_site.accounts.services import lock_user, set_password
from platform_site.changes.models import ChangeEvent

pytestmark = pytest.mark.django_db
SEEDED = {"admin", "mcp-agent", "jobs-scheduler"}


def forget(*names):
    User.objects.filter(username__in=names or SEEDED).delete()


def everything():
    """Return everything that seeding could change."""
    return {
        "users": list(User.objects.order_by("pk").values()),
        "roles": {
            user.username: sorted(user.groups.values_list("name", flat=True))
            for user in User.objects.all()
        },
        "rights": {
            group.name: sorted(group.permissions.values_list("pk", flat=True))
            for group in Group.objects.all()
        },
        "seeded": SeededPermission.objects.count(),
        "events": ChangeEvent.objects.count(),
    }


def test_a_fresh_installation_has_three_roles_and_three_accounts():
    """HOST-019, IMP-157."""
    assert set(User.objects.values_list("username", flat=True)) == SEEDED
    assert set(Group.objects.values_list("name", flat=True)) == {
        "admin",
        "employee",
        "user",
    }


@pytest.mark.parametrize(
    ("name", "roles", "staff", "superuser", "service", "locked"),
    [
        ("admin", ["admin"], True, True, False, False),
        ("mcp-agent", ["user"], False, False, True, False),
        ("jobs-scheduler", [], False, False, True, True),
    ],
)
def test_each_seeded_account_has_its_defined_properties(
    name, roles, staff, superuser, service, locked
):
    """HOST-085, HOST-087."""
    user = User.objects.get(username=name)
    assert sorted(user.groups.values_list("name", flat=True)) == roles
    assert (user.is_staff, user.is_superuser) == (staff, superuser)
    assert (user.is_service, user.is_locked, user.is_active) == (service, locked, True)


def test_a_second_start_changes_nothing():
    before = everything()
    seed_accounts()
    assert everything() == before


@pytest.mark.parametrize("name", sorted(SEEDED))
def test_a_deleted_built_in_account_is_created_again_with_the_next_start(name):
    """HOST-081, HOST-082."""
    forget(name)
    before = ChangeEvent.objects.count()
    seed_accounts()
    assert User.objects.filter(username=name).exists()
    event = ChangeEvent.objects.order_by("pk")[before]
    assert (event.action, event.row, event.origin) == ("created", name, "System")
    assert ChangeEvent.objects.count() == before + 1


def change_password(user):
    user.set_password("something-else")
    user.save()


def disable(user):
    User.objects.filter(pk=user.pk).update(is_active=False)


def lock(user):
    lock_user(user=user)


def take_roles(user):
    user.groups.clear()


def give_role(user):
    user.groups.set([Group.objects.get(name="employee")])


def degrade(user):
    User.objects.filter(pk=user.pk).update(is_superuser=False, is_staff=False)


@pytest.mark.parametrize("name", sorted(SEEDED))
@pytest.mark.parametrize(
    "deed", [change_password, disable, lock, take_roles, give_role, degrade]
)
def test_an_account_that_exists_is_never_changed(name, deed):
    """HOST-083, HOST-161."""
    deed(User.objects.get(username=name))
    before = everything()
    seed_accounts()
    assert everything() == before


def test_an_existing_account_with_a_built_in_name_is_not_changed():
    forget("mcp-agent")
    User.objects.create_user("mcp-agent", email="person@example.com")
    seed_accounts()
    user = User.objects.get(username="mcp-agent")
    assert (user.email, user.is_service) == ("person@example.com", False)
    assert not user.groups.exists()


def test_sample_users_of_an_old_database_are_unchanged():
    """HOST-091."""
    for number in range(8):
        User.objects.create_user(f"user{number}")
    before = everything()
    seed_accounts()
    assert everything() == before


def test_the_administrator_starts_with_the_default_password():
    forget()
    seed_accounts()
    stored = User.objects.get(username="admin").password
    assert check_password(DEFAULT_ADMIN_PASSWORD, stored)


def test_the_setting_replaces_the_default_password_at_creation_only(settings):
    settings.PLATFORM_SEED_ADMIN_PASSWORD = "chosen-by-operator"
    before = User.objects.get(username="admin").password
    seed_accounts()
    assert User.objects.get(username="admin").password == before
    forget("admin")
    seed_accounts()
    stored = User.objects.get(username="admin").password
    assert check_password("chosen-by-operator", stored)
    assert not check_password(DEFAULT_ADMIN_PASSWORD, stored)


def test_service_passwords_are_random_and_never_shown(monkeypatch, caplog, capfd):
    """HOST-086, HOST-088."""
    drawn = []
    real = seeding.secrets.token_urlsafe

    def draw(size):
        drawn.append(real(size))
        return drawn[-1]

    monkeypatch.setattr(seeding.secrets, "token_urlsafe", draw)
    caplog.set_level(logging.DEBUG)
    forget()
    seed_accounts()
    assert len(set(drawn)) == 2
    agent = User.objects.get(username="mcp-agent")
    assert check_password(drawn[0], agent.password)
    events = str(list(ChangeEvent.objects.values()))
    users = str(list(User.objects.values()))
    console = "".join(capfd.readouterr())
    for password in drawn:
        assert len(password) > 40
        assert password not in caplog.text
        assert password not in events
        assert password not in agent.password
        assert password not in users
        assert password not in console


def test_each_start_warns_about_the_default_password(caplog):
    """OPEN-114."""
    forget()
    for _ in range(2):
        caplog.clear()
        seed_accounts()
        assert "still has the password" in caplog.text
    set_password(user=User.objects.get(username="admin"), password="something-else")
    caplog.clear()
    seed_accounts()
    assert "still has the password" not in caplog.text


def test_an_account_created_by_a_concurrent_start_is_accepted():
    before = everything()
    seeding._create_once("mcp-agent", seeding._mcp_agent)
    assert everything() == before


def test_an_account_that_cannot_be_created_is_an_error():
    forget("mcp-agent")
    with pytest.raises(ValidationError, match="no role"):
        seeding._create_once("mcp-agent", lambda: {"password": "p", "roles": ["x"]})


def test_migrating_again_seeds_again():
    """HOST-081."""
    forget("mcp-agent")
    call_command("migrate", verbosity=0)
    assert User.objects.filter(username="mcp-agent").exists()


def test_a_failure_is_logged_and_stops_nothing(monkeypatch, caplog):
    def fail():
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(receivers, "seed_accounts", fail)
    call_command("migrate", verbosity=0)
    assert "could not be checked" in caplog.text
    assert "the disk is full" in caplog.text


def test_another_database_is_not_seeded(monkeypatch):
    monkeypatch.setattr(
        receivers, "seed_accounts", lambda: pytest.fail("seeded the wrong database")
    )
    monkeypatch.setattr(
        receivers, "_tables_exist", lambda: pytest.fail("looked at the wrong database")
    )
    receivers.seed_after_migrate(object(), using="archive")


def test_a_database_without_our_tables_is_skipped(monkeypatch, caplog):
    tables = connection.introspection.table_names()
    tables.remove("changes_changeevent")
    monkeypatch.setattr(connection.introspection, "table_names", lambda: tables)
    monkeypatch.setattr(
        receivers, "seed_accounts", lambda: pytest.fail("there is nothing to seed")
    )
    receivers.seed_after_migrate(apps.get_app_config("accounts"), using="default")
    assert caplog.text == ""


@pytest.mark.django_db(transaction=True)
def test_concurrent_starts_create_each_account_once():
    forget()
    Group.objects.all().delete()
    SeededPermission.objects.all().delete()
    before = ChangeEvent.objects.aggregate(last=Max("pk"))["last"] or 0
    barrier, troubles = threading.Barrier(4), []

    def start():
        try:
            barrier.wait()
            seed_accounts()
        except Exception as trouble:  # noqa: BLE001 - asserted below
            troubles.append(trouble)
        finally:
            connection.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert sorted(User.objects.values_list("username", flat=True)) == sorted(SEEDED)
    later = ChangeEvent.objects.filter(pk__gt=before)
    created = later.values_list("model", "row").order_by("model", "row")
    accounts = [("Users", name) for name in sorted(SEEDED)]
    roles = [("Roles", name) for name in sorted(ROLES)]
    assert list(created) == roles + accounts
    assert Group.objects.get(name="admin").permissions.exists()
