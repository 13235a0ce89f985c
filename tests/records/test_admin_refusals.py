"""What the services refuse comes back to its field, with everything still typed."""

from __future__ import annotations

import pytest
from django.db.models import QuerySet

from catalogs.models import Account, Item, Warehouse
from platform_site.records import services
from platform_site.records.errors import Problem, Refusal
from tests.catalogs.rows import (
    a_folder,
    a_unit,
    a_warehouse,
    an_item,
    boss,
    events,
    stored,
)
from tests.records.pages import add, errors, save, shown

pytestmark = pytest.mark.django_db
TAKEN = '"M" is taken by M Main, which was entered by hand.'


# -- refusals --------------------------------------------------------------------------


def test_a_taken_code_is_said_at_the_code_and_all_stays_typed(page):
    a_warehouse(code="M", name="Main")
    answer = add(page, Warehouse, code="M", name="Other", address="Road 2")
    assert errors(answer) == {"code": [TAKEN]}
    assert shown(answer) == {"code": "M", "name": "Other", "address": "Road 2"}
    assert Warehouse.objects.count() == 1


def test_a_code_taken_by_a_change_is_said_at_the_code(page):
    a_warehouse(code="M", name="Main")
    row = a_warehouse(code="N", name="Before")
    answer = save(page, row, code="M", name="After")
    assert errors(answer) == {"code": [TAKEN]}
    assert shown(answer)["name"] == "After"
    assert (stored(row).code, stored(row).name) == ("N", "Before")
    assert events(row).count() == 1


def test_a_rule_is_said_at_its_field(page):
    other = an_item(code="A-1", name="Rice")
    row = an_item()
    answer = save(page, row, parent=other.pk)
    assert errors(answer) == {"parent": ["A-1 Rice isn't a folder."]}
    assert stored(row).parent_id is None


def test_what_only_items_need_is_said_at_its_field(page):
    answer = add(page, Item, code="A", name="A", unit_of_measure=a_unit().pk)
    sentence = "This value is required where isFolder is false."
    assert errors(answer) == {"category": [sentence]}


def test_what_a_folder_may_not_have_is_said_at_its_field(page):
    answer = add(page, Item, code="F", name="F", is_folder="on", barcode="4711")
    sentence = "This value is allowed only where isFolder is false."
    assert errors(answer) == {"barcode": [sentence]}


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("price", "1.23456", "at most 4"),
        ("price", "-1", "give at least 0"),
        ("price", "many", "Enter a number"),
        ("price", "1e400", "too many digits"),
        ("name", "", "required"),
        ("name", "Bell \x07", "Control characters"),
        ("code", "x" * 51, "at most 50 characters"),
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
        "unit_of_measure": [f"{unit} is deleted; restore it first."]
    }


def test_a_reference_to_a_row_deleted_since_may_stay():
    row, folder = an_item(), a_folder()
    services.update_record(row=row, data={"parentId": folder.pk}, actor=boss())
    QuerySet(Item).filter(pk=folder.pk).update(is_deleted=True)
    again = stored(row)
    services.update_record(row=again, data={"name": "New"}, actor=boss())
    assert stored(row).parent_id == folder.pk


def test_a_refusal_of_something_not_on_the_page_is_said_on_top(page, monkeypatch):
    row = a_folder()

    def refuse(**kwargs):
        problems = [
            Problem("", "The whole row is wrong."),
            Problem("price", "Too dear."),
        ]
        raise Refusal(problems)

    monkeypatch.setattr(services, "update_record", refuse)
    answer = save(page, row, name="New")
    sentences = ["The whole row is wrong.", "Price: Too dear."]
    assert errors(answer) == {"__all__": sentences}


def test_all_refusals_stand_on_the_page_at_once(page):
    row = an_item()
    answer = save(page, row, price="-1", code="x" * 51)
    assert set(errors(answer)) == {"price", "code"}


def test_the_role_of_an_account_is_said_at_its_field(client):
    client.force_login(boss())
    first = {"code": "1", "name": "Stock", "kind": "asset", "role": "inventory"}
    assert add(client, Account, **first).status_code == 302
    answer = add(client, Account, **{**first, "code": "2"})
    assert errors(answer) == {
        "role": ['"inventory" is taken by 1 Stock, which was entered by hand.']
    }
    assert add(client, Account, code="3", name="No role").status_code == 302
    assert add(client, Account, code="4", name="No role either").status_code == 302
