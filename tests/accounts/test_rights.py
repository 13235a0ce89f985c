"""Default rights: each is given once, and administrators can change it afterwards."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command

from platform_site.accounts.models import SeededPermission
from platform_site.accounts.rights import seed_roles

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _configuration(settings):
    settings.PLATFORM_CONFIGURATION_APPS = ["warehouse"]


def a_right(codename, app="warehouse"):
    model = ContentType.objects.get_or_create(app_label=app, model="pallet")[0]
    return Permission.objects.create(
        content_type=model, codename=codename, name=codename
    )


def holders(permission):
    return {group.name for group in Group.objects.filter(permissions=permission)}


@pytest.mark.parametrize(
    ("app", "codename", "expected"),
    [
        ("warehouse", "view_pallet", {"admin", "employee", "user"}),
        ("warehouse", "add_pallet", {"admin", "employee"}),
        ("warehouse", "change_pallet", {"admin", "employee"}),
        ("warehouse", "delete_pallet", {"admin", "employee"}),
        ("warehouse", "post_pallet", {"admin", "employee"}),
        ("warehouse", "unpost_pallet", {"admin", "employee"}),
        ("processing", "ExecuteCountPallets", {"admin", "employee"}),
        ("warehouse", "erase_pallet", {"admin"}),
        ("elsewhere", "view_pallet", {"admin"}),
        ("elsewhere", "change_pallet", {"admin"}),
    ],
)
def test_a_new_right_is_given_to_its_default_roles(app, codename, expected):
    """OPEN-116."""
    permission = a_right(codename, app)
    seed_roles()
    assert holders(permission) == expected


def test_a_removed_right_is_not_given_again():
    """OPEN-116."""
    permission = a_right("change_pallet")
    seed_roles()
    for name in ("admin", "employee"):
        Group.objects.get(name=name).permissions.remove(permission)
    seed_roles()
    assert holders(permission) == set()


def test_a_right_given_by_an_administrator_is_kept():
    permission = a_right("change_pallet")
    seed_roles()
    Group.objects.get(name="user").permissions.add(permission)
    seed_roles()
    assert "user" in holders(permission)


def test_giving_a_new_right_does_not_restore_a_removed_one():
    old = a_right("change_pallet")
    seed_roles()
    Group.objects.get(name="employee").permissions.remove(old)
    new = a_right("post_pallet")
    seed_roles()
    assert holders(old) == {"admin"}
    assert holders(new) == {"admin", "employee"}


def test_a_right_of_the_same_name_in_another_app_is_another_right():
    a_right("view_pallet")
    seed_roles()
    other = a_right("view_pallet", app="elsewhere")
    seed_roles()
    assert holders(other) == {"admin"}


def test_a_deleted_built_in_role_is_created_again_with_its_default_rights():
    permission = a_right("change_pallet")
    seed_roles()
    Group.objects.get(name="employee").delete()
    taken = a_right("view_pallet")
    seed_roles()
    Group.objects.get(name="user").permissions.remove(taken)
    Group.objects.get(name="employee").delete()
    seed_roles()
    assert holders(permission) == {"admin", "employee"}
    assert holders(taken) == {"admin", "employee"}


def test_roles_of_the_operator_are_not_changed():
    guest = Group.objects.create(name="guest")
    a_right("view_pallet")
    seed_roles()
    assert not guest.permissions.exists()


def test_the_first_start_gives_admin_every_right():
    call_command("migrate", verbosity=0)
    everything = Permission.objects.count()
    assert Group.objects.get(name="admin").permissions.count() == everything
    assert SeededPermission.objects.count() == everything


def test_a_start_without_new_rights_writes_nothing(django_assert_max_num_queries):
    seed_roles()
    with django_assert_max_num_queries(5) as captured:
        seed_roles()
    assert not [
        query["sql"]
        for query in captured.captured_queries
        if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))
    ]
