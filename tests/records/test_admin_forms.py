"""The page of a row: what is typed goes to the services, and what they refuse comes
back to its field with everything still there."""

from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import LogEntry

from catalogs.models import Account, Item, Warehouse
from platform_site.changes.models import ChangeEvent
from platform_site.records import services
from platform_site.records.errors import Stale
from tests.catalogs.rows import a_clerk, a_folder, a_unit, a_warehouse, an_item, boss
from tests.records.pages import add, errors, save, shown, typed, url

pytestmark = pytest.mark.django_db
ITEM_RIGHTS = ("view_item", "add_item", "change_item", "view_unitofmeasure")


@pytest.fixture(params=["superuser", "clerk"])
def who(request):
    rights = (*ITEM_RIGHTS, "view_warehouse", "add_warehouse", "change_warehouse")
    return boss() if request.param == "superuser" else a_clerk(*rights)


@pytest.fixture
def page(client, who):
    client.force_login(who)
    return client


def events(row):
    return ChangeEvent.objects.filter(model=row.catalog_name, row_id=row.pk)


def stored(row):
    return type(row)._base_manager.get(pk=row.pk)


# -- creating and changing -------------------------------------------------------------


def test_a_new_row_is_written_with_an_event_of_the_person(page, who):
    unit = a_unit()
    answer = add(
        page,
        Item,
        code="A-1",
        name="Rice",
        category="goods",
        unit_of_measure=unit.pk,
        price="12.5",
        description="In bags.\r\nOf five kilograms.",
    )
    assert answer.status_code == 302
    row = Item.objects.get(code="A-1")
    assert row.unit_of_measure_id == unit.pk
    assert row.description == "In bags.\nOf five kilograms."
    event = events(row).get()
    assert (event.action, event.origin) == ("created", "User")
    assert (event.user_name, event.user_id) == (who.username, who.pk)
    assert event.changes["price"] == [None, "12.5000"]


def test_a_change_touches_only_what_was_retyped(page, who):
    row = an_item(name="Rice", price="1.5", description="One\nTwo")
    answer = save(page, row, name="Basmati", description="One\r\nTwo")
    assert answer.status_code == 302
    event = events(row).first()
    assert event.changes == {"name": ["Rice", "Basmati"]}
    assert (event.origin, event.user_name) == ("User", who.username)
    assert stored(row).version == 2


@pytest.mark.parametrize("retyped", [{}, {"name": "  Rice "}], ids=["none", "spaces"])
def test_saving_without_a_change_writes_nothing(page, retyped):
    row = an_item(name="Rice", price="1.5", description="One\nTwo\n\nThree")
    before = Item._base_manager.filter(pk=row.pk).values().get()
    browser = {"description": "One\r\nTwo\r\n\r\nThree", "price": "1.5000"}
    assert save(page, row, **browser, **retyped).status_code == 302
    assert Item._base_manager.filter(pk=row.pk).values().get() == before
    assert events(row).count() == 1


def test_a_name_with_a_line_end_survives_a_field_of_one_line(page):
    row = a_warehouse(name="Main\nhouse")
    # A browser cannot put the line end into the field, and sends the name without it.
    save(page, row, name="Mainhouse", address="Road 1")
    assert stored(row).name == "Main\nhouse"
    assert events(row).first().changes == {"address": ["", "Road 1"]}


def test_a_field_can_be_emptied(page):
    folder = a_folder()
    row = an_item(parentId=folder.pk, price="3", barcode="4006381333931")
    assert save(page, row, parent="", price="", barcode="").status_code == 302
    after = stored(row)
    assert (after.parent_id, after.price, after.barcode) == (None, None, "")


def test_django_keeps_no_log_of_its_own(page):
    row = a_warehouse()
    save(page, row, name="New")
    add(page, Warehouse, code="W", name="W")
    assert Warehouse.objects.filter(code="W").exists()
    assert not LogEntry.objects.exists()


# -- refusals --------------------------------------------------------------------------


def test_a_taken_code_is_said_at_the_code_and_all_stays_typed(page):
    a_warehouse(code="M")
    answer = add(page, Warehouse, code="M", name="Other", address="Road 2")
    assert errors(answer) == {"code": ["Another row already has this value."]}
    assert shown(answer) == {"code": "M", "name": "Other", "address": "Road 2"}
    assert Warehouse.objects.count() == 1


def test_a_code_taken_by_a_change_is_said_at_the_code(page):
    a_warehouse(code="M")
    row = a_warehouse(code="N", name="Before")
    answer = save(page, row, code="M", name="After")
    assert errors(answer) == {"code": ["Another row already has this value."]}
    assert shown(answer)["name"] == "After"
    assert (stored(row).code, stored(row).name) == ("N", "Before")
    assert events(row).count() == 1


def test_a_rule_is_said_at_its_field(page):
    other = an_item(code="A-1", name="Rice")
    row = an_item()
    answer = save(page, row, parent=other.pk)
    assert errors(answer) == {"parent": ["A-1 Rice is no folder."]}
    assert stored(row).parent_id is None


def test_what_only_items_need_is_said_at_its_field(page):
    answer = add(page, Item, code="A", name="A", unit_of_measure=a_unit().pk)
    sentence = "This field is required where isFolder is false."
    assert errors(answer) == {"category": [sentence]}


def test_what_a_folder_may_not_have_is_said_at_its_field(page):
    answer = add(page, Item, code="F", name="F", is_folder="on", barcode="4711")
    sentence = "This field may be given only where isFolder is false."
    assert errors(answer) == {"barcode": [sentence]}


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("price", "1.23456", "no more than 4 decimal places"),
        ("price", "-1", "greater than or equal to 0"),
        ("price", "many", "Enter a number"),
        ("price", "1e400", "no more than"),
        ("name", "", "required"),
        ("name", "Bell \x07", "Control characters"),
        ("code", "x" * 51, "no more than 50 characters"),
        ("category", "gold", "not one of the available choices"),
        ("unit_of_measure", "999999", "not one of the available choices"),
        ("unit_of_measure", "a kilogram", "not one of the available choices"),
        ("unit_of_measure", "9" * 30, "not one of the available choices"),
    ],
)
def test_a_wrong_value_is_said_at_its_field(page, field, value, words):
    row = an_item(name="Rice")
    answer = save(page, row, **{field: value})
    (found,) = errors(answer).items()
    assert found[0] == field
    assert words in found[1][0]
    assert shown(answer)[field] == value
    assert stored(row).version == 1


def test_a_deleted_row_cannot_be_chosen(page):
    row, unit = an_item(), a_unit()
    services.delete_record(row=unit, actor=boss())
    answer = save(page, row, unit_of_measure=unit.pk)
    assert errors(answer) == {
        "unit_of_measure": [f"The row with the id {unit.pk} is deleted."]
    }


def test_a_reference_to_a_row_deleted_since_may_stay():
    row, folder = an_item(), a_folder()
    services.update_record(row=row, data={"parentId": folder.pk}, actor=boss())
    Item._base_manager.filter(pk=folder.pk).update(is_deleted=True)
    again = stored(row)
    services.update_record(row=again, data={"name": "New"}, actor=boss())
    assert stored(row).parent_id == folder.pk


def test_a_refusal_of_something_not_on_the_page_is_said_on_top(page, monkeypatch):
    row = a_folder()

    def refuse(**kwargs):
        problems = [
            services.Problem("", "The whole row is wrong."),
            services.Problem("price", "Too dear."),
        ]
        raise services.Refusal(problems)

    monkeypatch.setattr(services, "update_record", refuse)
    answer = save(page, row, name="New")
    sentences = ["The whole row is wrong.", "Price: Too dear."]
    assert errors(answer) == {"__all__": sentences}


def test_all_refusals_stand_on_the_page_at_once(page):
    row = an_item()
    answer = save(page, row, price="-1", code="x" * 51)
    assert set(errors(answer)) == {"price", "code"}


# -- two people at once ----------------------------------------------------------------


def test_a_stale_form_keeps_what_was_typed_and_shows_what_is_stored(page):
    row = a_warehouse(name="Before", address="Old road")
    services.update_record(row=stored(row), data={"name": "By the first"}, actor=boss())
    answer = save(page, row, name="By the second", address="New road")
    found = errors(answer)
    assert "Somebody else changed this row" in found.pop("__all__")[0]
    assert found == {
        "name": ["Stored by now: By the first"],
        "address": ["Stored by now: Old road"],
    }
    assert shown(answer)["name"] == "By the second"
    assert (stored(row).name, stored(row).address) == ("By the first", "Old road")


def test_a_stale_form_stays_stale_when_it_is_sent_again(page):
    row = a_warehouse(name="Before")
    services.update_record(row=stored(row), data={"name": "First"}, actor=boss())
    answer = save(page, row, name="Second")
    again = page.post(url(row, "change"), shown(answer))
    assert "Somebody else" in errors(again)["__all__"][0]
    assert stored(row).name == "First"


def test_a_stale_form_is_refused_even_if_it_retypes_nothing(page):
    row = a_warehouse(name="Before")
    services.update_record(row=stored(row), data={"name": "First"}, actor=boss())
    assert "__all__" in errors(save(page, row))
    assert stored(row).name == "First"


def test_a_change_in_the_very_moment_of_saving_is_a_stale_form(page, monkeypatch):
    row = a_warehouse(name="Before")

    def late(**kwargs):
        raise Stale

    monkeypatch.setattr(services, "update_record", late)
    assert "Somebody else" in errors(save(page, row, name="After"))["__all__"][0]


def test_a_form_of_a_row_deleted_meanwhile_keeps_what_was_typed(page):
    row = a_warehouse(name="Before")
    services.delete_record(row=stored(row), actor=boss())
    answer = save(page, row, name="After")
    assert "Somebody else" in errors(answer)["__all__"][0]
    assert shown(answer)["name"] == "After"
    assert stored(row).name == "Before"


def test_a_deleted_row_is_not_changed_by_a_form_made_up_for_it(page):
    row = a_warehouse(name="Before")
    services.delete_record(row=row, actor=boss())
    save(page, stored(row), name="After")
    assert stored(row).name == "Before"


@pytest.mark.parametrize("version", ["", "x", "0", "9" * 40])
def test_a_form_without_a_usable_version_writes_nothing(page, version):
    row = a_warehouse(name="Before")
    assert errors(save(page, row, name="After", expected_version=version))
    assert stored(row).name == "Before"


# -- the page itself -------------------------------------------------------------------


def test_the_page_of_a_row_carries_its_version(page):
    row = a_warehouse()
    text = page.get(url(row, "change")).content.decode()
    hidden = re.search(r'<input[^>]*name="expected_version"[^>]*>', text).group()
    assert 'type="hidden"' in hidden
    assert f'value="{row.version}"' in hidden


def test_what_a_row_was_created_as_cannot_be_changed(page):
    row = an_item()
    assert 'name="is_folder"' not in page.get(url(row, "change")).content.decode()
    save(page, row, is_folder="on", name="New")
    assert (stored(row).is_folder, stored(row).name) == (False, "New")


def test_the_page_of_a_folder_has_no_fields_of_an_item(page):
    text = page.get(url(a_folder(), "change")).content.decode()
    assert 'name="parent"' in text
    assert 'name="price"' not in text


def test_the_box_for_folders_says_what_a_folder_is(page):
    text = page.get(url(Item, "add")).content.decode()
    assert "A folder only holds other items" in text


def test_references_are_looked_up_while_typing_and_deleted_rows_are_not_offered(page):
    live, gone = a_unit(name="kilogram"), a_unit(name="kilogram, old")
    services.delete_record(row=gone, actor=boss())
    found = page.get(
        "/admin/autocomplete/",
        {
            "term": "kilo",
            "app_label": "catalogs",
            "model_name": "item",
            "field_name": "unit_of_measure",
        },
    ).json()["results"]
    assert [each["id"] for each in found] == [str(live.pk)]


def test_only_folders_are_offered_as_a_folder(page):
    folder = a_folder(name="Rice and more")
    an_item(name="Rice")
    found = page.get(
        "/admin/autocomplete/",
        {
            "term": "rice",
            "app_label": "catalogs",
            "model_name": "item",
            "field_name": "parent",
        },
    ).json()["results"]
    assert [each["id"] for each in found] == [str(folder.pk)]


# -- rights ----------------------------------------------------------------------------


def test_without_a_right_the_page_is_closed(client):
    row = a_warehouse(name="Before")
    client.force_login(a_clerk("view_item"))
    assert client.get(url(Warehouse, "changelist")).status_code == 403
    assert client.get(url(row, "change")).status_code == 403
    assert client.get(url(row, "history")).status_code == 403
    assert add(client, Warehouse, code="W", name="W").status_code == 403
    assert save(client, row, name="After").status_code == 403
    assert client.post(url(row, "delete"), {"post": "yes"}).status_code == 403
    assert Warehouse.objects.get().name == "Before"


def test_who_may_only_look_sees_the_row_and_changes_nothing(client):
    row = a_warehouse(name="Before")
    client.force_login(a_clerk("view_warehouse"))
    text = client.get(url(row, "change")).content.decode()
    assert "Before" in text
    assert "Change information" in text
    assert 'name="name"' not in text
    assert save(client, row, name="After").status_code == 403
    assert stored(row).name == "Before"


def test_a_right_the_services_deny_closes_the_page(client, monkeypatch):
    row = a_warehouse()
    client.force_login(boss())

    def deny(**kwargs):
        raise services.NotAllowed([services.Problem("", "No.")])

    monkeypatch.setattr(services, "update_record", deny)
    assert client.post(url(row, "change"), typed(row, name="x")).status_code == 403


def test_the_role_of_an_account_is_said_at_its_field(client):
    client.force_login(boss())
    first = {"code": "1", "name": "Stock", "kind": "asset", "role": "inventory"}
    assert add(client, Account, **first).status_code == 302
    answer = add(client, Account, **{**first, "code": "2"})
    assert errors(answer) == {"role": ["Another row already has this value."]}
    assert add(client, Account, code="3", name="No role").status_code == 302
    assert add(client, Account, code="4", name="No role either").status_code == 302
