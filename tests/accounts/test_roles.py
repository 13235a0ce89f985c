"""The admin pages of roles: names, rights and change events."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.urls import reverse

from platform_site.accounts.admin import roles as admin_roles
from platform_site.accounts.built_in import ROLES
from platform_site.accounts.meaningful_rights import is_meaningful
from platform_site.accounts.models import Role
from platform_site.accounts.roles import delete_role, save_role
from platform_site.accounts.services import create_user
from platform_site.changes.models import ChangeEvent

pytestmark = pytest.mark.django_db
ADD = "admin:accounts_role_add"
CHANGE = "admin:accounts_role_change"


def right(name):
    app, codename = name.split(".")
    return Permission.objects.get(content_type__app_label=app, codename=codename)


def rights(*names):
    return [right(name) for name in names]


def a_role(*names, name="guest"):
    return save_role(role=Role(name=name), permissions=rights(*names))


def events():
    """Return the events of roles, without those of the seeding."""
    found = ChangeEvent.objects.filter(model="Roles").order_by("pk")
    return list(found.exclude(row__in=ROLES, origin="System"))


def test_a_new_role_is_recorded_with_its_rights(pages, boss):
    answer = pages.post(
        reverse(ADD),
        {"name": "guest", "permissions": [right("catalogs.view_item").pk]},
    )
    assert answer.status_code == 302
    role = Role.objects.get(name="guest")
    assert [each.codename for each in role.permissions.all()] == ["view_item"]
    (event,) = events()
    assert (event.action, event.user, event.row_id) == ("created", boss, role.pk)
    assert event.changes == {
        "name": [None, "guest"],
        "catalogs.view_item": [False, True],
    }


def test_a_change_of_a_role_is_one_event_with_rights_added_and_removed(pages):
    role = a_role("catalogs.view_item", "catalogs.add_item")
    wanted = [right("catalogs.view_item").pk, right("documents.post_goodsissue").pk]
    url = reverse(CHANGE, args=[role.pk])
    pages.post(url, {"name": "guests", "permissions": wanted})
    assert events()[-1].changes == {
        "name": ["guest", "guests"],
        "catalogs.add_item": [True, False],
        "documents.post_goodsissue": [False, True],
    }
    pages.post(url, {"name": "guests", "permissions": wanted})
    assert len(events()) == 2, "saving without a change records nothing"


def test_the_history_of_a_role_shows_changed_rights(pages):
    role = a_role("catalogs.view_item")
    page = pages.get(reverse("admin:accounts_role_history", args=[role.pk]))
    told = " ".join(page.content.decode().split())
    assert "created" in told
    assert "<strong>Items: view</strong>: yes" in told
    assert "Origin" in told


def test_rights_are_grouped_by_kind_of_row(pages):
    page = pages.get(reverse(ADD))
    choices = dict(page.context["adminform"].form.fields["permissions"].choices)
    items = dict(choices["Items"])
    assert list(items.values()) == ["view", "enter", "change", "delete"]
    assert items[right("catalogs.view_item").pk] == "view"
    assert list(dict(choices["Goods issues"]).values())[-2:] == ["post", "unpost"]


def test_the_page_of_an_administrator_keeps_all_its_rights(pages):
    role = Role.objects.get(name="admin")
    form = pages.get(reverse(CHANGE, args=[role.pk])).context["adminform"].form
    given = {each.pk for each in form.initial["permissions"]}
    shown = form.fields["permissions"].queryset
    chosen = [each.pk for each in shown if each.pk in given]
    pages.post(reverse(CHANGE, args=[role.pk]), {"permissions": chosen})
    assert role.permissions.count() == Permission.objects.count()
    assert events() == []


def test_a_built_in_role_cannot_be_renamed_or_deleted(pages):
    role = Role.objects.get(name="employee")
    pages.post(reverse(CHANGE, args=[role.pk]), {"name": "staff", "permissions": []})
    role.refresh_from_db()
    kept = [right for right in role.permissions.all() if is_meaningful(right)]
    assert (role.name, kept) == ("employee", [])
    role.name = "staff"
    with pytest.raises(ValidationError, match="can't be renamed"):
        save_role(role=role, permissions=[])
    delete = reverse("admin:accounts_role_delete", args=[role.pk])
    assert delete not in pages.get(reverse(CHANGE, args=[role.pk])).content.decode()
    for answer in (
        pages.get(delete, follow=True),
        pages.post(delete, {"post": "yes"}, follow=True),
    ):
        assert "is a built-in role" in answer.content.decode()
    assert Role.objects.filter(name="employee").exists()


def test_a_role_in_use_cannot_be_deleted(pages):
    role = a_role("catalogs.view_item")
    user = create_user(user_name="visitor", password="p", roles=["guest"])
    delete = reverse("admin:accounts_role_delete", args=[role.pk])
    page = pages.post(delete, {"post": "yes"}, follow=True).content.decode()
    assert "is assigned to visitor. Remove the role from these users first." in page
    assert user.groups.exists()
    user.groups.clear()
    assert pages.post(delete, {"post": "yes"}).status_code == 302
    assert not Role.objects.filter(name="guest").exists()
    assert events()[-1].action == "deleted"


def test_role_names_are_unique(pages):
    a_role()
    answer = pages.post(reverse(ADD), {"name": "guest", "permissions": []})
    errors = answer.context["adminform"].form.errors
    assert errors["name"] == [
        "A role with this name already exists; choose another name."
    ]
    with pytest.raises(ValidationError):
        a_role()


def test_changing_roles_needs_the_right(client):
    employee = create_user(user_name="clerk", password="p", roles=["employee"])
    client.force_login(employee)
    role = Role.objects.get(name="user")
    assert client.get(reverse(CHANGE, args=[role.pk])).status_code == 403
    assert client.post(reverse(ADD), {"name": "mine"}).status_code == 403


def test_only_unused_custom_roles_can_be_deleted():
    role = a_role(name="own")
    delete_role(role=role)
    assert not Role.objects.filter(name="own").exists()


def test_the_right_to_execute_is_labelled_with_the_title_of_its_processor(pages):
    execute = right("processing.ExecuteRecalculateCosts")
    role = save_role(role=Role(name="costs"), permissions=[execute])
    page = pages.get(reverse(CHANGE, args=[role.pk])).content.decode()
    history = reverse("admin:accounts_role_history", args=[role.pk])
    assert "Recalculate costs" in page
    assert "Recalculate costs" in pages.get(history).content.decode()
    headers = {"Accept-Language": "de"}
    german = pages.get(reverse(CHANGE, args=[role.pk]), headers=headers)
    assert "Kosten neu berechnen" in german.content.decode()


def test_roles_are_listed_alphabetically(pages):
    a_role("catalogs.view_item", name="Buyers")
    rows = (
        pages.get(reverse("admin:accounts_role_changelist")).context["cl"].result_list
    )
    assert [row.name for row in rows] == ["admin", "Buyers", "employee", "user"]


def test_a_role_given_while_it_is_being_deleted_stays(pages, monkeypatch):
    role = a_role("catalogs.view_item")
    create_user(user_name="visitor", password="p", roles=["guest"])
    monkeypatch.setattr(admin_roles, "why_not_deleted", lambda role: "")
    delete = reverse("admin:accounts_role_delete", args=[role.pk])
    page = pages.post(delete, {"post": "yes"}, follow=True).content.decode()
    assert "is assigned to visitor. Remove the role from these users first." in page
    assert Role.objects.filter(name="guest").exists()


@pytest.mark.parametrize(
    "name",
    [
        "Admin",
        "ADMIN",
        "\uff41dmin",
        "Employee",
        "GUEST",
        "two\nlines",
        "no\u200bthing",
    ],
)
def test_a_role_name_must_be_one_line_and_distinct(pages, name):
    a_role()
    role = a_role(name="mine")
    page = reverse(CHANGE, args=[role.pk])
    shown = pages.get(page).context["adminform"].form
    form = {each: shown[each].value() or "" for each in shown.fields}
    assert pages.post(page, form | {"name": name}).status_code == 200
    for wrong in (Role(name=name), Role(pk=role.pk, name=name)):
        with pytest.raises(ValidationError):
            save_role(role=wrong, permissions=[])
    assert Role.objects.get(pk=role.pk).name == "mine"


def test_a_role_can_change_the_case_of_its_name():
    role = a_role()
    role.name = "Guest"
    assert save_role(role=role, permissions=[]).name == "Guest"
