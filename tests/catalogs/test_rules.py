"""The rules of catalogs: folders, codes, roles and the properties of folders."""

from __future__ import annotations

import pytest

from catalogs.models import Account, Item, Warehouse
from platform_site.records.errors import Refusal
from platform_site.records.services import (
    create_record,
    delete_record,
    restore_record,
    update_record,
)
from tests.catalogs.rows import (
    a_folder,
    a_row,
    a_unit,
    a_warehouse,
    an_item,
    boss,
    stored,
)

pytestmark = pytest.mark.django_db


def taken_by(row, value="M"):
    return f'"{value}" is taken by {row}, which was entered by hand.'


def refused(write, *args, **kwargs):
    """Return the problems of a refused write by wire property."""
    with pytest.raises(Refusal) as refusal:
        write(*args, **kwargs)
    return {problem.path: problem.message for problem in refusal.value.problems}


def change(row, **values):
    return update_record(row=stored(row), data=values, actor=boss())


def delete(row):
    return delete_record(row=stored(row), actor=boss())


def restore(row):
    return restore_record(row=stored(row), actor=boss())


# -- folders ---------------------------------------------------------------------------


def test_the_parent_of_a_row_can_be_a_folder():
    folder = a_folder()
    assert stored(an_item(parentId=folder.pk)).parent_id == folder.pk


def test_the_parent_of_a_row_cannot_be_an_item():
    item = an_item(code="A-1", name="Rice")
    sentence = {"parentId": "A-1 Rice isn't a folder."}
    assert refused(an_item, parentId=item.pk) == sentence
    assert refused(change, an_item(), parentId=item.pk) == sentence


def test_a_row_cannot_move_into_a_deleted_folder():
    folder = a_folder()
    delete(folder)
    sentence = {"parentId": f"{folder} is deleted; restore it first."}
    assert refused(an_item, parentId=folder.pk) == sentence
    assert refused(change, an_item(), parentId=folder.pk) == sentence


def test_a_row_is_not_restored_into_a_deleted_folder():
    folder = a_folder()
    item = an_item(parentId=folder.pk)
    delete(item)
    delete(folder)
    assert set(refused(restore, item)) == {"parentId"}
    restore(folder)
    restore(item)
    assert not stored(item).is_deleted


def test_whether_a_row_is_a_folder_cannot_change():
    empty = a_folder()
    filled = {"isFolder": False, "category": "goods", "unitOfMeasureId": a_unit().pk}
    assert set(refused(change, empty, **filled)) == {"isFolder"}
    emptied = {
        "isFolder": True,
        "category": None,
        "unitOfMeasureId": None,
        "price": None,
    }
    assert set(refused(change, an_item(), **emptied)) == {"isFolder"}


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_a_folder_cannot_move_into_itself(depth):
    chain = [a_folder()]
    for _ in range(depth - 1):
        chain.append(a_folder(parentId=chain[-1].pk))
    sentence = {"parentId": "A folder can't be inside itself."}
    assert refused(change, chain[0], parentId=chain[-1].pk) == sentence
    assert stored(chain[0]).parent_id is None


def test_a_folder_can_move_outside_its_own_branch():
    one, other = a_folder(), a_folder()
    inner = a_folder(parentId=one.pk)
    change(inner, parentId=other.pk)
    change(one, parentId=inner.pk)
    assert stored(one).parent_id == inner.pk


def test_a_folder_of_items_cannot_contain_accounts():
    folder = a_folder()
    while (account := a_row(Account, isFolder=False)).pk < folder.pk:
        pass
    assert set(refused(change, account, parentId=folder.pk)) == {"parentId"}


# -- codes -----------------------------------------------------------------------------


def test_no_two_live_rows_share_a_code():
    sentence = {"code": taken_by(a_warehouse(code="M"))}
    assert refused(a_warehouse, code="M") == sentence
    assert refused(change, a_warehouse(code="N"), code="M") == sentence


def test_codes_are_compared_exactly():
    a_warehouse(code="m")
    a_warehouse(code="M")
    a_warehouse(code="Ä")
    a_warehouse(code="ä")
    assert Warehouse.objects.count() == 4


def test_spaces_around_a_code_are_ignored():
    sentence = {"code": taken_by(a_warehouse(code="M"))}
    assert refused(a_warehouse, code=" M ") == sentence


def test_codes_are_unique_per_catalog():
    a_warehouse(code="M")
    assert a_unit(code="M").pk


def test_the_code_of_a_deleted_row_is_free_again():
    old = a_warehouse(code="M")
    delete(old)
    new = a_warehouse(code="M")
    assert refused(restore, old) == {"code": taken_by(new)}
    delete(new)
    restore(old)
    assert [row.pk for row in Warehouse.objects.live()] == [old.pk]


def test_a_row_keeps_its_own_code():
    row = a_warehouse(code="M")
    change(row, code="M", name="New")
    assert stored(row).name == "New"


def test_a_role_belongs_to_one_account_and_is_optional():
    first = a_row(Account, isFolder=False, role="bank")
    a_row(Account, isFolder=False)
    a_row(Account, isFolder=False, role=None)
    sentence = {"role": taken_by(first, "bank")}
    assert refused(a_row, Account, isFolder=False, role="bank") == sentence
    change(first, role=None)
    a_row(Account, isFolder=False, role="bank")


# -- what only items have --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("category", "goods"), ("barcode", "4711"), ("price", "1"), ("price", "0")],
)
def test_a_folder_has_no_properties_of_items(name, value):
    sentence = {name: "This value is allowed only where isFolder is false."}
    assert refused(a_folder, **{name: value}) == sentence
    assert refused(change, a_folder(), **{name: value}) == sentence


def test_a_folder_has_no_unit():
    assert set(refused(a_folder, unitOfMeasureId=a_unit().pk)) == {"unitOfMeasureId"}


def test_null_is_accepted_for_item_properties_of_a_folder():
    names = ("category", "unitOfMeasureId", "barcode", "price")
    assert a_folder(**dict.fromkeys(names)).pk


@pytest.mark.parametrize("name", ["category", "unitOfMeasureId"])
def test_an_item_needs_category_and_unit(name):
    sentence = {name: "This value is required where isFolder is false."}
    assert refused(an_item, **{name: None}) == sentence
    row = an_item()
    assert refused(change, row, **{name: None}) == sentence
    change(row, name="Others may change meanwhile")


def test_a_missing_category_is_reported():
    data = {
        "isFolder": False,
        "code": "A",
        "name": "A",
        "unitOfMeasureId": a_unit().pk,
    }
    problems = refused(create_record, model=Item, data=data, actor=boss())
    assert set(problems) == {"category"}
