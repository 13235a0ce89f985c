"""A live row never refers to a deleted one, whatever way it came to live; the refusal
names the row, its property and what to do."""

from __future__ import annotations

import pytest
from django.db.models import QuerySet

from catalogs.models import BankAccount, Currency, Item, UnitOfMeasure
from documents import models as documents
from platform_site.records import services
from platform_site.records.errors import InUse, Refusal
from tests.catalogs.rows import a_folder, a_row, a_unit, an_item, boss, stored
from tests.documents.rows import World, as_lines, delete, post, restore, sentences
from tests.live_references import assert_references_live

pytestmark = pytest.mark.django_db


def deleted(row):
    services.delete_record(row=stored(row), actor=boss())
    return stored(row)


def torn(row):
    """Delete a row behind the back of those who refer to it, as older data may be."""
    QuerySet(type(row)).filter(pk=row.pk).update(is_deleted=True)
    return stored(row)


def refused(deed, *args, **kwargs):
    with pytest.raises(Refusal) as refusal:
        deed(*args, **kwargs)
    return sentences(refusal)


def test_a_row_whose_reference_is_deleted_is_not_restored():
    """OPEN-20."""
    unit = a_unit(code="kg", name="kilogram")
    item = deleted(an_item(unitOfMeasureId=unit.pk))
    deleted(unit)
    sentence = "kg kilogram is deleted; restore it first."
    assert refused(restore, item) == {"unitOfMeasureId": sentence}
    assert stored(item).is_deleted
    restore(unit)
    restore(item)
    assert_references_live()


def test_a_row_is_not_restored_into_a_deleted_folder():
    folder = a_folder(code="F", name="Garden")
    inner = deleted(a_folder(parentId=folder.pk))
    deleted(folder)
    sentence = "F Garden is deleted; restore it first."
    assert refused(restore, inner) == {"parentId": sentence}


def test_a_row_is_not_restored_into_what_is_no_folder_any_more():
    folder = a_folder(code="F", name="Garden")
    inner = deleted(an_item(parentId=folder.pk))
    QuerySet(Item).filter(pk=folder.pk).update(is_folder=False)
    assert refused(restore, inner) == {"parentId": "F Garden isn't a folder."}


def test_a_bank_account_is_not_restored_in_a_deleted_currency():
    currency = a_row(Currency, code="XTS", name="Testing")
    account = deleted(a_row(BankAccount, currencyId=currency.pk))
    deleted(currency)
    sentence = "XTS Testing is deleted; restore it first."
    assert refused(restore, account) == {"currencyId": sentence}


def test_a_document_with_a_line_about_a_deleted_item_is_not_restored():
    world = World()
    order = world.order((world.rice, 1, 1), (world.tea, 2, 1))
    delete(order)
    deleted(world.tea)
    deleted(world.partner)
    assert refused(restore, order) == {
        "counterpartyId": "P Partner is deleted; restore it first.",
        "lines[1].itemId": "TEA Tea is deleted; restore it first.",
    }


def test_an_issue_of_a_deleted_order_is_not_restored():
    world = World()
    order = world.order((world.rice, 1, 1))
    issue = world.issue((world.rice, 1, 1), orderId=order.pk, post=False)
    delete(issue)
    delete(order)
    sentence = f"{order.code} is deleted; restore it first."
    assert refused(restore, issue) == {"orderId": sentence}


@pytest.mark.parametrize("reference", ["rice", "partner", "main", "eur"])
def test_a_document_that_refers_to_a_deleted_row_is_not_posted(reference):
    world = World()
    receipt = world.receipt((world.rice, 1, 1), post=False)
    named = torn(getattr(world, reference))
    (sentence,) = refused(post, receipt).values()
    assert sentence == f"{named} is deleted; restore it first."
    assert not stored(receipt).is_active


def test_saving_and_posting_in_one_refuses_an_old_reference_too():
    from documents.services import save_and_post  # noqa: PLC0415

    world = World()
    receipt = world.receipt((world.rice, 1, 1), (world.tea, 1, 1), post=False)
    torn(world.tea)
    found = refused(
        save_and_post,
        model=type(receipt),
        row=stored(receipt),
        data={"comment": "now"},
        actor=boss(),
    )
    assert found == {"lines[1].itemId": "TEA Tea is deleted; restore it first."}
    assert stored(receipt).comment == ""


def test_an_old_reference_does_not_stand_in_the_way_of_another_change():
    unit = a_unit()
    item = an_item(unitOfMeasureId=unit.pk)
    torn(unit)
    services.update_record(row=stored(item), data={"name": "New"}, actor=boss())
    assert stored(item).name == "New"


def test_a_changed_reference_and_a_new_one_are_judged():
    unit = torn(a_unit(code="kg", name="kilogram"))
    item = an_item()
    sentence = {"unitOfMeasureId": "kg kilogram is deleted; restore it first."}
    data = {"unitOfMeasureId": unit.pk}
    assert refused(services.update_record, row=item, data=data, actor=boss()) == (
        sentence
    )
    assert refused(an_item, **data) == sentence


def test_lines_are_judged_where_they_are_given():
    world = World()
    tea = torn(world.tea)
    assert refused(world.order, (world.rice, 1, 1), (tea, 1, 1)) == {
        "lines[1].itemId": "TEA Tea is deleted; restore it first."
    }
    order = world.order((world.rice, 1, 1))
    data = {"lines": as_lines([(tea, 1, 1)])}
    found = refused(services.update_record, row=order, data=data, actor=boss())
    assert found == {"lines[0].itemId": "TEA Tea is deleted; restore it first."}


def test_a_save_without_the_services_brings_no_row_back_to_a_deleted_one():
    unit = a_unit(code="kg", name="kilogram")
    item = deleted(an_item(unitOfMeasureId=unit.pk))
    deleted(unit)
    item.is_deleted = False
    assert refused(item.save) == {
        "unitOfMeasureId": "kg kilogram is deleted; restore it first."
    }


def test_a_save_without_the_services_makes_no_row_that_refers_to_a_deleted_one():
    unit = deleted(a_unit())
    new = Item(is_folder=False, code="N", name="N", unit_of_measure_id=unit.pk)
    assert list(refused(new.save)) == ["unitOfMeasureId"]


def test_nothing_is_created_from_an_order_whose_item_is_deleted():
    from documents.services import create_from  # noqa: PLC0415

    world = World()
    order = world.order((world.rice, 1, 1), (world.tea, 1, 1))
    torn(world.tea)
    found = refused(
        create_from,
        source=stored(order),
        target=documents.GoodsIssue,
        overrides={},
        actor=boss(),
    )
    assert found == {"lines[1].itemId": "TEA Tea is deleted; restore it first."}


def test_a_restore_asks_one_query_for_each_table(django_assert_max_num_queries):
    world = World()
    items = [an_item(unitOfMeasureId=world.rice.unit_of_measure_id) for _ in range(40)]
    order = delete(world.order(*((item, 1, 1) for item in items)))
    with django_assert_max_num_queries(20):
        services.restore_record(row=stored(order), actor=boss())


def test_a_unit_that_only_deleted_rows_name_can_still_be_deleted_but_not_erased():
    unit = a_unit()
    deleted(an_item(unitOfMeasureId=unit.pk))
    with pytest.raises(InUse):
        services.erase_record(row=stored(unit), actor=boss())
    assert deleted(unit).is_deleted
    assert UnitOfMeasure.objects.live().filter(pk=unit.pk).count() == 0
