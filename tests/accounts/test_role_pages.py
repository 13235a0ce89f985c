"""The page of a role: the rights it offers, presets, copies, and who has the role."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from platform_site.accounts.services import create_user
from tests.accounts.test_roles import ADD, CHANGE, a_role

pytestmark = pytest.mark.django_db


def offered(pages, **query):
    """Return the names of the rights that are checked in the form of a new role."""
    form = pages.get(reverse(ADD), query).context["adminform"].form
    checked = Permission.objects.filter(pk__in=form.initial.get("permissions", ()))
    pairs = checked.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in pairs}


def test_only_rights_that_mean_something_are_offered(pages):
    choices = pages.get(reverse(ADD)).context["adminform"].form.fields["permissions"]
    shown = {each.codename for each in choices.queryset.all()}
    assert {"view_item", "post_goodsissue", "add_job", "add_storedfile"} <= shown
    assert "view_stockbalance" in shown
    assert "change_stockbalance" not in shown, "nobody changes a register by hand"
    for hidden in ("view_session", "change_contenttype", "add_group", "view_logentry"):
        assert hidden not in shown
    assert not [name for name in shown if name.endswith("line")]
    assert "view_importrun" not in shown


def test_rights_are_listed_by_work_area_with_a_button_for_all(pages):
    page = pages.get(reverse(ADD)).content.decode()
    assert "<legend>Automation</legend>" in page
    automation = page[page.index("<legend>Automation</legend>") :]
    assert "Recalculate costs" in automation
    assert "Jobs" in automation
    assert 'data-rights="all"' in page
    assert 'data-rights="none"' in page


def test_rights_that_are_not_shown_are_kept(pages):
    role = a_role("catalogs.view_item", "sessions.view_session")
    page = reverse(CHANGE, args=[role.pk])
    pages.post(page, {"name": role.name, "permissions": []})
    assert [each.codename for each in role.permissions.all()] == ["view_session"]


@pytest.mark.parametrize(
    ("preset", "has", "lacks"),
    [
        ("read-only", "catalogs.view_item", "catalogs.change_item"),
        ("clerk", "documents.post_salesorder", "documents.post_bankreceipt"),
        ("warehouse", "documents.add_goodsreceipt", "documents.add_salesorder"),
        ("accountant", "documents.post_bankreceipt", "documents.add_goodsissue"),
        (
            "import-operator",
            "processing.ExecuteImportItemsFromCsv",
            "documents.post_goodsissue",
        ),
    ],
)
def test_a_role_begins_with_a_preset(pages, preset, has, lacks):
    assert f'href="?preset={preset}"' in pages.get(reverse(ADD)).content.decode()
    given = offered(pages, preset=preset)
    assert has in given
    assert lacks not in given
    assert "accounts.view_user" not in given
    form = pages.get(reverse(ADD), {"preset": preset}).context["adminform"].form
    assert form.initial["name"].lower() == preset.replace("import-", "import ")


def test_an_unknown_preset_checks_nothing(pages):
    assert offered(pages, preset="nonsense") == set()
    assert offered(pages, copy="x") == set()


def test_a_role_is_copied(pages):
    role = a_role("catalogs.view_item", "documents.post_goodsissue")
    page = pages.get(reverse(CHANGE, args=[role.pk])).content.decode()
    assert f"?copy={role.pk}" in page
    assert offered(pages, copy=role.pk) == {
        "catalogs.view_item",
        "documents.post_goodsissue",
    }
    form = pages.get(reverse(ADD), {"copy": role.pk}).context["adminform"].form
    assert form.initial["name"] == "Copy of guest"


def test_the_page_of_a_role_says_who_has_it_and_what_it_allows(pages):
    role = a_role("catalogs.view_item", "catalogs.change_item")
    create_user(user_name="visitor", password="p", roles=["guest"])
    page = " ".join(pages.get(reverse(CHANGE, args=[role.pk])).content.decode().split())
    assert "Who has this role (1)" in page
    assert ">visitor</a>" in page
    said = "Kinds of data to view: 1, to change: 1; data processors: 0."
    assert said in page
    listed = pages.get(reverse("admin:accounts_role_changelist")).content.decode()
    assert said in listed
    assert re.search(r'<td class="[^"]*field-holders[^"]*"[^>]*>\s*1\s*</td>', listed)


@pytest.mark.counts
def test_the_list_of_roles_asks_no_more_for_more_roles(
    pages, django_assert_max_num_queries
):
    for number in range(12):
        a_role("catalogs.view_item", name=f"role {number}")
    with django_assert_max_num_queries(12):
        pages.get(reverse("admin:accounts_role_changelist"))
