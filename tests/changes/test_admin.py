"""The change history in the administration: readable by administrators, and only read."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from platform_site.changes.labels import recorded_models
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import ChangeOrigin, acting_as, record_change

pytestmark = pytest.mark.django_db
RUN = UUID("00000000-0000-0000-0000-000000000001")
REPORT = f'<a href="/admin/import?run={RUN}">Import</a>'
LIST = "admin:changes_changeevent_changelist"


@pytest.fixture
def imported():
    with acting_as(None, ChangeOrigin.IMPORT, RUN):
        return record_change(
            action="updated",
            model="Items",
            row_id=7,
            row="A-1 Bolt",
            changes={"name": ["Bold", "<b>Bolt</b>"], "isActive": [True, None]},
        )


def test_the_origin_of_an_imported_change_leads_to_the_report(admin_client, imported):
    page = admin_client.get(reverse(LIST), {"model": "Items"}).content.decode()
    assert "A-1 Bolt" in page
    assert REPORT in page
    url = reverse("admin:changes_changeevent_change", args=[imported.pk])
    assert REPORT in admin_client.get(url).content.decode()


def test_a_users_change_links_to_no_report(admin_client):
    with acting_as(None, ChangeOrigin.USER, RUN):
        record_change(
            action="updated", model="Items", row_id=1, row="by hand", changes={}
        )
    page = admin_client.get(reverse(LIST), {"q": "by hand"}).content.decode()
    assert "by hand" in page
    assert str(RUN) not in page


def test_who_is_no_administrator_sees_the_origin_without_a_link(client, imported):
    reader = get_user_model().objects.create_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_changeevent"))
    client.force_login(reader)
    page = client.get(reverse(LIST)).content.decode()
    assert "Import</td>" in page
    assert "/admin/import?run=" not in page


@pytest.mark.counts
def test_the_reader_is_asked_for_once_however_many_events_there_are(client):
    admin = get_user_model().objects.create_user("second", is_staff=True)
    admin.groups.add(Group.objects.get(name="admin"))
    client.force_login(admin)

    def queries():
        with CaptureQueriesContext(connection) as made:
            assert REPORT in client.get(reverse(LIST)).content.decode()
        return len(made)

    def imported(count):
        with acting_as(None, ChangeOrigin.IMPORT, RUN):
            for number in range(count):
                record_change(
                    action="created",
                    model="Items",
                    row_id=number,
                    row="many",
                    changes={},
                )

    imported(2)
    few = queries()
    imported(30)
    assert queries() == few


def test_the_detail_shows_before_and_after_with_labels(admin_client, imported):
    url = reverse("admin:changes_changeevent_change", args=[imported.pk])
    page = admin_client.get(url).content.decode()
    assert "<td>Bold</td><td>&lt;b&gt;Bolt&lt;/b&gt;</td>" in page
    assert "<td>yes</td><td>—</td>" in page


def test_the_list_narrows_to_one_run(admin_client, imported):
    record_change(action="created", model="Items", row_id=8, row="other", changes={})
    page = admin_client.get(reverse(LIST), {"run_id": str(RUN)}).content.decode()
    assert "A-1 Bolt" in page
    assert ">other<" not in page


def test_a_run_that_is_no_identifier_is_no_crash(admin_client):
    assert admin_client.get(reverse(LIST), {"run_id": "nonsense"}).status_code == 302


@pytest.mark.parametrize("action", ["add", "change", "delete"])
def test_the_history_is_read_only(admin_client, imported, action):
    arguments = [] if action == "add" else [imported.pk]
    url = reverse(f"admin:changes_changeevent_{action}", args=arguments)
    assert admin_client.post(url, {"row": "x", "post": "yes"}).status_code == 403
    assert ChangeEvent.objects.get(pk=imported.pk).row == "A-1 Bolt"


def test_deleting_in_bulk_is_not_offered(admin_client, imported):
    data = {"action": "delete_selected", "_selected_action": [imported.pk]}
    admin_client.post(reverse(LIST), {**data, "post": "yes"})
    assert ChangeEvent.objects.filter(pk=imported.pk).exists()


def test_the_history_needs_its_right(client, imported):
    clerk = get_user_model().objects.create_user("clerk", is_staff=True)
    client.force_login(clerk)
    assert client.get(reverse(LIST)).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="view_changeevent"))
    assert client.get(reverse(LIST)).status_code == 200


def test_an_origin_is_named_in_the_language_of_the_reader():
    with translation.override("de"):
        event = ChangeEvent(origin=ChangeOrigin.SCHEDULED_JOB)
        assert event.get_origin_display() == "geplante Aufgabe"


def test_kinds_and_properties_are_called_as_on_their_own_pages(admin_client):
    record_change(
        action="updated",
        model="BankAccounts",
        row_id=7,
        row="BA Main",
        changes={"name": ["Main", "First"], "currencyId": [None, 1]},
    )
    event = ChangeEvent.objects.get(model="BankAccounts")
    page = admin_client.get(reverse(LIST)).content.decode()
    assert ">Bank accounts</td>" in page
    assert ">Bank accounts</a>" in page, "so in the filter"
    url = reverse("admin:changes_changeevent_change", args=[event.pk])
    detail = admin_client.get(url).content.decode()
    assert "<th scope='row'>Name</th><td>Main</td><td>First</td>" in detail
    assert "<th scope='row'>Currency</th>" in detail


def test_a_kind_that_is_no_more_keeps_its_name(admin_client):
    changes = {"colour": ["red", "blue"]}
    record_change(action="updated", model="Hats", row_id=1, row="Hat", changes=changes)
    event = ChangeEvent.objects.get(model="Hats")
    assert ">Hats</td>" in (admin_client.get(reverse(LIST)).content.decode())
    url = reverse("admin:changes_changeevent_change", args=[event.pk])
    detail = admin_client.get(url).content.decode()
    assert "<th scope='row'>Colour</th><td>red</td><td>blue</td>" in detail


def test_an_event_has_no_history_of_its_own(admin_client, imported):
    url = reverse("admin:changes_changeevent_change", args=[imported.pk])
    assert "/history/" not in admin_client.get(url).content.decode()


def test_every_kind_of_row_has_the_name_of_its_own_model():
    named = {name: model.__name__ for name, model in recorded_models().items()}
    assert named["Users"] == "User"
    assert named["Roles"] == "Role"
    assert {"Items", "SalesOrders", "Constants", "ApiKeys", "Jobs"} <= set(named)


def test_a_change_without_a_run_says_so_and_has_no_history_of_its_own(admin_client):
    event = record_change(
        action="updated", model="Items", row_id=1, row="by hand", changes={}
    )
    url = reverse("admin:changes_changeevent_change", args=[event.pk])
    page = admin_client.get(url).content.decode()
    assert "Items “by hand” updated" in page
    assert ">None<" not in page
    history = reverse("admin:changes_changeevent_history", args=[event.pk])
    assert admin_client.get(history).status_code == 404
