"""What nobody learns by asking cleverly: names and values of rows whose kind one may not
see, whatever they are asked through."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db.models import QuerySet

from catalogs.models import Counterparty
from platform_site.accounts.models import User
from platform_site.scheduling.models import Job
from tests.authorization.identities import IDENTITIES

pytestmark = pytest.mark.django_db
CLERK, OFFICE, BOSS = "a clerk", "an office", "an administrator"
ISSUES = "/admin/documents/goodsissue/"
HIDDEN = "Hidden Counterparties"


def hidden(scene):
    return scene.rows["catalogs.counterparty"].pk


def refused(scene, name, path, status, method="GET"):
    answer, left = scene.visit(name, method, path, {} if method == "POST" else None)
    assert (answer.status_code, left) == (status, {}), answer.content[:300]


@pytest.mark.parametrize(
    "ask",
    [
        "add/?counterparty={}",
        "?counterparty__id__exact={}",
        "{issue}/change/?counterparty={}",
    ],
)
def test_the_key_of_a_row_does_not_give_its_name(scene, ask):
    """Else everybody who writes documents reads all counterparties by counting."""
    issue = scene.rows["documents.goodsissue"].pk
    path = ISSUES + ask.replace("{issue}", str(issue)).format(hidden(scene))
    answer, _left = scene.visit(CLERK, "GET", path)
    assert answer.status_code == 200
    assert HIDDEN not in answer.content.decode()
    shown, _left = scene.visit(BOSS, "GET", path)
    assert (HIDDEN in shown.content.decode()) == ("change" not in ask)


def test_a_refused_form_does_not_show_the_name_of_a_hidden_row(scene):
    form = {"counterparty": hidden(scene), "lines-TOTAL_FORMS": 0}
    answer, _left = scene.visit(CLERK, "POST", f"{ISSUES}add/", form)
    assert answer.status_code == 200
    assert f"#{hidden(scene)}" in answer.content.decode()
    assert HIDDEN not in answer.content.decode()


def test_what_a_row_refers_to_has_its_name_on_the_page_of_the_row(scene):
    row = scene.rows["documents.goodsissue"]
    answer, _left = scene.visit(CLERK, "GET", f"{ISSUES}{row.pk}/change/")
    page = answer.content.decode()
    assert str(scene.world.partner) in page
    assert f"#{scene.world.partner.pk}<" not in page


def test_a_refusal_does_not_name_a_deleted_row(scene):
    QuerySet(Counterparty).filter(pk=hidden(scene)).update(is_deleted=True)
    row = scene.rows["documents.goodsissue"]
    path, body = f"/api/v1/GoodsIssues/{row.pk}", {"counterpartyId": hidden(scene)}
    answer, left = scene.call(CLERK, "PATCH", path, body)
    assert (answer.status_code, left) == (400, {})
    assert HIDDEN not in answer.content.decode()
    answer, _left = scene.call(BOSS, "PATCH", path, body)
    assert HIDDEN in answer.content.decode()


def test_what_a_row_is_used_by_is_named_only_to_those_who_may_see_it(scene):
    User.objects.get(username="a-clerk").user_permissions.remove(
        Permission.objects.get(codename="view_goodsissue"),
        Permission.objects.get(codename="change_goodsissue"),
    )
    path = f"/api/v1/Items/{scene.world.rice.pk}"
    answer, left = scene.call(CLERK, "DELETE", path)
    assert (answer.status_code, left) == (409, {})
    body = answer.json()
    assert body["usedBy"] == []
    assert body["count"] >= 4
    assert "GR-" not in body["detail"]
    seen = scene.call(BOSS, "DELETE", path)[0].json()
    assert len(seen["usedBy"]) == min(5, body["count"])


@pytest.mark.parametrize("app", ["catalogs/warehouse", "accounts/user"])
def test_a_missing_row_and_a_forbidden_one_are_refused_alike(scene, app):
    there = scene.rows[app.replace("/", ".")].pk
    for key in (there, 987654):
        for page in ("history", "change", "delete"):
            refused(scene, CLERK, f"/admin/{app}/{key}/{page}/", 403)
    for key in (scene.rows["scheduling.job"].pk, 987654):
        refused(scene, CLERK, f"/admin/scheduling/job/{key}/run/", 403, "POST")


@pytest.mark.parametrize(
    "ask",
    [
        "apikey/?user__password__startswith=m",
        "user/?password__startswith=m",
        "user/?api_keys__digest__startswith=a",
        "user/?groups__permissions__codename=add_user",
    ],
)
def test_lists_cannot_be_filtered_by_hidden_columns(scene, ask):
    for name in (OFFICE, BOSS):
        refused(scene, name, f"/admin/accounts/{ask}", 400)


@pytest.mark.parametrize("ask", ["apikey/?digest__startswith", "user/?token_stamp__gt"])
def test_a_hidden_column_leads_back_to_the_whole_list(scene, ask):
    for letter in "0f":
        answer, _left = scene.visit(BOSS, "GET", f"/admin/accounts/{ask}={letter}")
        assert answer.status_code == 302
        assert answer["Location"].endswith("/?e=1")


@pytest.mark.parametrize(
    "ask",
    [
        "goodsissue/?counterparty__tax_number__startswith=1",
        "goodsissue/?order__comment__startswith=1",
        "stockbalance/?item__price__gt=1",
        "ledgerentry/?account__name__startswith=H",
    ],
)
def test_lists_cannot_be_filtered_through_references(scene, ask):
    refused(scene, BOSS, f"/admin/documents/{ask}", 400)


@pytest.mark.parametrize(
    ("field", "status"),
    [("warehouse", 403), ("order", 403), ("counterparty", 403)],
)
def test_looking_up_needs_the_right_to_view_what_is_looked_up(scene, field, status):
    of = f"app_label=documents&model_name=goodsissue&field_name={field}"
    refused(scene, CLERK, f"/admin/autocomplete/?{of}&term=", status)
    answer, _left = scene.visit(BOSS, "GET", f"/admin/autocomplete/?{of}&term=")
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "of",
    [
        "app_label=accounts&model_name=apikey&field_name=user",
        "app_label=scheduling&model_name=job&field_name=run_as",
        "app_label=changes&model_name=changeevent&field_name=user",
        "app_label=accounts&model_name=user&field_name=password",
        "app_label=accounts&model_name=user&field_name=groups",
        "app_label=sessions&model_name=session&field_name=session_key",
        "app_label=nothing&model_name=user&field_name=groups",
    ],
)
def test_looking_up_accounts_by_any_model_is_refused(scene, of):
    refused(scene, CLERK, f"/admin/autocomplete/?{of}&term=", 403)


@pytest.mark.parametrize("ask", ["_to_field=password", "_to_field=digest&_popup=1"])
def test_rows_are_not_found_by_other_columns(scene, ask):
    refused(scene, BOSS, f"/admin/accounts/user/?{ask}", 400)


def test_the_form_of_a_job_lists_no_accounts_that_the_user_may_not_see(scene):
    office = User.objects.get(username="an-office")
    page = scene.visit(OFFICE, "GET", "/admin/scheduling/job/add/")[0]
    assert b">victim<" in page.content
    office.user_permissions.remove(Permission.objects.get(codename="view_user"))
    office.user_permissions.remove(Permission.objects.get(codename="change_user"))
    page = scene.visit(OFFICE, "GET", "/admin/scheduling/job/add/")[0]
    assert b">victim<" not in page.content
    assert b">an-office<" in page.content


def test_a_job_of_somebody_who_may_do_more_is_not_run_by_its_button(scene):
    path = f"/admin/scheduling/job/{scene.rows['scheduling.job'].pk}/run/"
    chosen = [scene.rows["scheduling.job"].pk]
    action = {"action": "run_chosen", "_selected_action": chosen}
    for name, asked in ((OFFICE, {}), (BOSS, {"JobExecution": 3})):
        answer, left = scene.visit(name, "POST", path, {})
        assert (answer.status_code, left) == (302, asked)
        answer, left = scene.visit(name, "POST", "/admin/scheduling/job/", action)
        assert (answer.status_code, left) == (302, asked)
    assert Job.objects.count() == 1


def test_a_page_for_reading_an_account_has_nothing_of_its_password(scene):
    victim = scene.rows["accounts.user"]
    path = f"/admin/accounts/user/{victim.pk}/change/"
    for name in ("a user manager", OFFICE):
        page = scene.visit(name, "GET", path)[0].content.decode()
        assert victim.username in page
        assert victim.password.split("$")[-1] not in page


def test_changes_of_viewable_rows_are_listed(scene):
    """A clerk reads of items and goods issues, and nobody of accounts by a catalog."""
    seen = {
        name: {
            e["model"]
            for e in scene.call(name, "GET", "/api/v1/Changes?pageSize=500")[0].json()[
                "results"
            ]
        }
        for name in IDENTITIES
        if IDENTITIES[name].in_api
    }
    assert seen["somebody without a role"] == set()
    assert seen[CLERK] == {"Items", "GoodsIssues"}
    assert seen["a user manager"] == {"Users"}
    assert {"Users", "Roles", "ApiKeys"} <= seen[BOSS] & seen["an accountant"]
    assert not {"Users", "Roles", "ApiKeys", "Jobs"} & seen["an employee"]
