"""Catalog values that posted documents depend on can't change: the category of items,
the currency of bank accounts, and rows used by ledger entries."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import QuerySet

from catalogs import models as catalogs
from platform_site.processing import services as processing
from platform_site.records.errors import InUse, Refusal
from platform_site.records.services import delete_record, erase_record
from tests.catalogs.rows import a_row, boss, stored
from tests.documents.rows import (
    delete,
    edit,
    on_hand,
    sentences,
    unpost,
)

pytestmark = pytest.mark.django_db


# -- goods, material and services ------------------------------------------------------


def test_goods_in_posted_documents_do_not_become_a_service(world):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    issue = world.issue((world.rice, 10, 3), on=2)
    with pytest.raises(Refusal) as refusal:
        edit(world.rice, category="service")
    sentence = sentences(refusal)["category"]
    for row, name in ((receipt, "goods receipt"), (issue, "goods issue")):
        assert f"{name} {row.code}" in sentence
    assert stored(world.rice).category == "goods"


def test_a_service_in_posted_documents_does_not_become_goods(world):
    order = world.order((world.freight, 1, 2), post=True)
    with pytest.raises(Refusal, match=f"sales order {order.code}"):
        edit(world.freight, category="goods")


def test_goods_and_material_may_become_each_other(world):
    world.receipt((world.rice, 10, 2))
    edit(world.rice, category="material")
    edit(world.rice, category="goods", name="Rice, long")
    assert on_hand(world.rice, world.main)[0] == 10


def test_only_posted_documents_fix_the_category(world):
    world.receipt((world.rice, 10, 2), post=False)
    receipt = world.receipt((world.rice, 10, 2))
    with pytest.raises(Refusal) as refusal:
        edit(world.rice, category="service")
    assert sentences(refusal)["category"].count("goods receipt") == 1
    delete(unpost(receipt))
    edit(world.rice, category="service")


def test_at_most_five_documents_are_named(world):
    for _ in range(7):
        world.receipt((world.rice, 10, 2))
    with pytest.raises(Refusal) as refusal:
        edit(world.rice, category="service")
    sentence = sentences(refusal)["category"]
    assert sentence.count("goods receipt GR-") == 5
    assert "and others" in sentence


def test_an_unchanged_category_takes_no_query(world, connection_queries):
    plain = connection_queries(lambda: edit(world.tea, name="Tea, black"))
    world.receipt((world.rice, 10, 2))
    assert connection_queries(lambda: edit(world.rice, name="Rice, red")) == plain


def test_no_item_becomes_a_folder(world):
    world.receipt((world.rice, 10, 2))
    with pytest.raises(Refusal, match=r"^A folder can't become"):
        edit(world.rice, isFolder=True, category=None, unitOfMeasureId=None)


def test_an_import_does_not_turn_a_posted_service_into_goods(world):
    order = world.order((world.freight, 1, 2), post=True)
    unit = stored(world.freight).unit_of_measure.code
    file = SimpleUploadedFile(
        "items.csv", f"code;name;unit;parent\nFREIGHT;Freight;{unit};\n".encode()
    )
    result = processing.execute(
        "ImportItemsFromCsv", {}, user=boss(), files={"fileId": file}
    ).result
    assert result["failed"] == 1
    assert f"sales order {order.code}" in result["message"]
    assert stored(world.freight).category == "service"


# -- the currency of a bank account ----------------------------------------------------


def test_the_currency_of_posted_receipts_cannot_change(world):
    payment = world.payment("5")
    with pytest.raises(Refusal) as refusal:
        edit(world.bank, currencyId=world.usd.pk)
    assert f"bank receipt {payment.code}" in sentences(refusal)["currencyId"]
    unpost(payment)
    edit(world.bank, currencyId=world.usd.pk)


# -- what entries and movements name ---------------------------------------------------


def test_an_account_with_ledger_entries_is_in_use(world):
    account = a_row(catalogs.Account, isFolder=False, role="payables")
    receipt = world.receipt((world.rice, 1, 2))
    with pytest.raises(InUse) as refusal:
        delete_record(row=stored(account), actor=boss())
    assert f"is in use: goods receipt {receipt.code}." in str(refusal.value)
    assert refusal.value.count == 1
    unpost(receipt)
    delete_record(row=stored(account), actor=boss())


def test_the_api_answers_409_for_an_account_in_the_ledger(world, client):
    account = a_row(catalogs.Account, isFolder=False, role="bank")
    payment = world.payment("5")
    client.force_login(boss())
    answer = client.delete(f"/api/v1/Accounts/{account.pk}")
    assert answer.status_code == 409
    (user,) = answer.json()["usedBy"]
    assert (user["model"], user["id"]) == ("BankReceipts", payment.pk)


def test_a_document_that_refers_to_a_row_twice_is_listed_once(world):
    world.receipt((world.rice, 1, 2), (world.rice, 1, 2))
    for row in (world.rice, world.main, world.partner, world.eur):
        with pytest.raises(InUse) as refusal:
            delete_record(row=stored(row), actor=boss())
        assert str(refusal.value).count("goods receipt") == 1


def test_a_currency_used_only_by_entries_is_in_use(world):
    payment = world.payment("5")
    # As an earlier version allowed it.
    QuerySet(catalogs.BankAccount).filter(pk=world.bank.pk).update(
        currency_id=world.usd.pk
    )
    with pytest.raises(InUse, match=f"bank receipt {payment.code}"):
        delete_record(row=stored(world.eur), actor=boss())


def test_an_item_with_an_empty_balance_can_be_erased(world):
    receipt = world.receipt((world.tea, 1, 2))
    erase_record(row=stored(receipt), actor=boss())
    erase_record(row=stored(world.tea), actor=boss())
    assert not catalogs.Item.objects.filter(pk=world.tea.pk).exists()
