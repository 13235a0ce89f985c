"""The rights for changes of a posted document: what changes the registers needs the
rights to post and unpost, other changes don't."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group

from documents.models import GoodsReceipt, SalesOrder
from importer.pipeline.ports import Write
from platform_site.accounts.services import ADMIN
from platform_site.records import services as records
from platform_site.records.errors import NotAllowed, Stale
from tests.catalogs.rows import boss, stored
from tests.documents.pages import retyped, save
from tests.documents.rows import (
    a_documents_clerk,
    as_lines,
    delete,
    everything,
    post,
    unpost,
)
from tests.records.pages import act, said, url

pytestmark = pytest.mark.django_db
HAND = ("view_goodsreceipt", "change_goodsreceipt", "delete_goodsreceipt")
POST, UNPOST = "post_goodsreceipt", "unpost_goodsreceipt"
WHY = "is posted, and this change affects its postings."


@pytest.fixture
def receipt(world):
    return stored(world.receipt((world.rice, 10, 2)))


def less(world):
    return {"lines": as_lines([(world.rice, 3, 2)])}


@pytest.mark.parametrize(("has", "lacks"), [(POST, "unpost"), (UNPOST, "post")])
def test_settling_a_posted_document_again_needs_both_rights(world, receipt, has, lacks):
    before = everything(receipt)
    clerk = a_documents_clerk(*HAND, has)
    with pytest.raises(NotAllowed) as refusal:
        records.update_record(row=receipt, data=less(world), actor=clerk)
    assert str(refusal.value) == (
        f"{receipt.code} {WHY} {clerk} may not {lacks} goods receipts."
    )
    assert everything(receipt) == before
    clerk = a_documents_clerk(*HAND, POST, UNPOST)
    records.update_record(row=receipt, data=less(world), actor=clerk)


def test_commenting_on_a_posted_document_needs_no_right_to_post(world, receipt):
    clerk = a_documents_clerk(*HAND)
    edited = records.update_record(row=receipt, data={"comment": "x"}, actor=clerk)
    order = Write({"comment": "y"}, clerk, row=stored(edited), submit=True)
    records.commit(records.prepare(order, GoodsReceipt))
    assert stored(receipt).comment == "y"


def test_deleting_a_posted_document_needs_the_right_to_unpost(world, receipt):
    before = everything(receipt)
    clerk = a_documents_clerk(*HAND, POST)
    with pytest.raises(NotAllowed, match=f"{WHY} .* may not unpost goods receipts"):
        records.delete_record(row=receipt, actor=clerk)
    assert everything(receipt) == before
    records.delete_record(row=receipt, actor=a_documents_clerk(*HAND, UNPOST))
    assert stored(receipt).is_deleted


def test_deleting_an_unposted_document_needs_only_the_right_to_delete(world, receipt):
    records.delete_record(row=unpost(receipt), actor=a_documents_clerk(*HAND))
    assert stored(receipt).is_deleted


def test_erasing_a_posted_document_needs_the_right_to_unpost(receipt):
    clerk = a_documents_clerk(*HAND)
    clerk.groups.add(Group.objects.get_or_create(name=ADMIN)[0])
    clerk.groups.get().permissions.clear()
    with pytest.raises(NotAllowed, match="may not unpost"):
        records.erase_record(row=receipt, actor=clerk)
    assert stored(receipt).is_active


def test_a_document_posted_since_it_was_read_is_not_erased(world):
    read = stored(world.receipt((world.rice, 10, 2), post=False))
    post(read)
    with pytest.raises(Stale):
        records.erase_record(row=read, actor=boss())
    assert stored(read).is_active


def test_a_restored_document_can_be_posted_again(world, receipt):
    deleted = delete(receipt)
    order = Write(
        None,
        a_documents_clerk(*HAND, UNPOST),
        row=stored(deleted),
        restore=True,
        submit=True,
    )
    with pytest.raises(NotAllowed, match="may not post goods receipts"):
        records.prepare(order, GoodsReceipt)


def test_editing_a_posted_order_needs_no_right_to_post(world):
    order = world.order((world.rice, 1, 1), post=True)
    clerk = a_documents_clerk("change_salesorder", "delete_salesorder")
    records.update_record(row=stored(order), data=less(world), actor=clerk)
    with pytest.raises(NotAllowed, match="may not unpost"):
        records.delete_record(row=stored(order), actor=clerk)
    assert SalesOrder.objects.get().is_active


# -- over the API and in the administration --------------------------------------------


def test_the_api_enforces_the_rights_of_posting(world, receipt, client):
    client.force_login(a_documents_clerk(*HAND))
    at = f"/api/v1/GoodsReceipts/{receipt.pk}"
    patched = client.patch(at, less(world), content_type="application/json")
    for answer in (patched, client.delete(at)):
        assert answer.status_code == 403
        assert answer.json()["right"] == "documents.unpost_goodsreceipt"
        assert "may not unpost goods receipts" in answer.json()["detail"]
    assert stored(receipt).version == receipt.version


def test_a_page_offers_only_permitted_changes(world, receipt, client):
    client.force_login(a_documents_clerk(*HAND))
    page = client.get(url(receipt, "change"))
    text = page.content.decode()
    fields = page.context["adminform"].form.fields
    assert {"code", "comment", "expected_version"} == set(fields)
    assert not page.context["inline_admin_formsets"]
    assert "you need the rights to unpost and to post" in text
    assert "too many lines" not in text
    assert "RICE Rice" in text
    assert url(receipt, "delete") not in text
    assert client.post(url(receipt, "delete"), {"post": "yes"}).status_code == 403
    client.force_login(a_documents_clerk(*HAND, POST, UNPOST))
    page = client.get(url(receipt, "change"))
    assert "warehouse" in page.context["adminform"].form.fields
    assert page.context["inline_admin_formsets"]
    assert url(receipt, "delete") in page.content.decode()


def test_fields_the_page_does_not_offer_are_ignored(world, receipt, client):
    client.force_login(a_documents_clerk(*HAND))
    typed = retyped(world, receipt, (world.rice, 3, 2), warehouse=world.other.pk)
    save(client, receipt, {**typed, "comment": "Seen"})
    after = stored(receipt)
    assert (after.comment, after.warehouse_id) == ("Seen", world.main.pk)
    assert after.lines == receipt.lines


def test_a_list_action_reports_why_each_document_stays(world, receipt, client):
    clerk = a_documents_clerk(*HAND)
    client.force_login(clerk)
    answer = act(client, GoodsReceipt, "delete_selected", [receipt], confirm=1)
    reason = f"{clerk} may not unpost goods receipts."
    assert said(answer) == [f"{receipt.code} {WHY} {reason}"]
    assert stored(receipt).is_active
