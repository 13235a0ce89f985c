"""The buttons that create a document from another, and the form that opens for values
the copy does not fill."""

from __future__ import annotations

import pytest

from documents.models import BankReceipt, GoodsIssue, SalesOrder
from platform_site.records import services
from tests.catalogs.rows import boss, stored
from tests.documents.pages import lines_typed, press
from tests.documents.rows import a_documents_clerk
from tests.records.pages import said, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def offered(answer):
    return [button["label"] for button in answer.context["buttons"]]


def test_an_issue_is_created_from_an_order_and_shown_unposted(page, world):
    order = world.order((world.rice, 5, 2), (world.tea, 1, 3))
    assert "Create goods issue" in offered(page.get(url(order, "change")))
    answer = press(page, order, "create", "GoodsIssues")
    issue = GoodsIssue.objects.get()
    assert answer.redirect_chain == [(url(issue, "change"), 302)]
    assert said(answer) == [f"{issue.code} was created from {order.code}."]
    assert (issue.order_id, issue.is_active, issue.lines) == (
        order.pk,
        False,
        stored(order).lines,
    )


def test_a_form_opens_for_values_the_copy_does_not_fill(page, world):
    issue = world.issue((world.rice, 5, 2), post=False)
    answer = press(page, issue, "create", "BankReceipts")
    assert BankReceipt.objects.count() == 0
    assert "Bank account: This value is required." in said(answer)[0]
    form = answer.context["adminform"].form
    assert form["issue"].value() == issue.pk
    assert str(form["amount"].value()) == "10.0000"
    sent = {name: form[name].value() for name in form.fields if name != "date"}
    sent |= {"date_0": "2026-03-05", "date_1": "12:00:00", "code": ""}
    sent |= {"comment": "", "purpose": "", "bank_account": world.bank.pk}
    address = answer.redirect_chain[-1][0]
    assert page.post(address, {**sent, "is_income": "on"}).status_code == 302
    receipt = BankReceipt.objects.get()
    assert (receipt.issue_id, receipt.total, receipt.is_income) == (issue.pk, 10, True)


def test_the_prefilled_form_contains_the_lines(page, world):
    order = world.order((world.rice, 5, "2.5"), warehouseId=None)
    answer = press(page, order, "create", "GoodsIssues")
    assert "Warehouse: This value is required." in said(answer)[0]
    formset = answer.context["inline_admin_formsets"][0].formset
    assert [form["quantity"].value() for form in formset.forms] == ["5"]
    assert [form["item"].value() for form in formset.forms] == [world.rice.pk]
    form = answer.context["adminform"].form
    address = answer.redirect_chain[-1][0]
    sent = {
        "order": form["order"].value(),
        "counterparty": form["counterparty"].value(),
        "currency": form["currency"].value(),
        "warehouse": world.main.pk,
        "date_0": "2026-03-05",
        "date_1": "12:00:00",
        **lines_typed((world.rice, 5, "2.5")),
    }
    assert page.post(address, sent).status_code == 302
    assert GoodsIssue.objects.get().order_id == order.pk


def test_nothing_is_created_from_a_deleted_document(page, world):
    order = world.order((world.rice, 5, 2))
    services.delete_record(row=stored(order), actor=boss())
    answer = press(page, order, "create", "GoodsIssues")
    assert "nothing can be created from it" in said(answer)[0]
    assert GoodsIssue.objects.count() == 0
    assert "buttons" not in page.get(url(order, "change")).context


def test_a_licence_limit_is_reported_on_the_page_of_the_source(page, world, licensed):
    order = world.order((world.rice, 5, 2))
    licensed(documentsPerMonth=1)
    answer = press(page, order, "create", "GoodsIssues")
    assert answer.redirect_chain == [(url(order, "change"), 302)]
    assert "The licence allows 1 document a month" in said(answer)[0]


def test_an_unknown_creation_is_not_found(page, world):
    order = world.order((world.rice, 5, 2))
    for target in ("BankReceipts", "Items", "x"):
        assert press(page, order, "create", target).status_code == 404


def test_creating_needs_the_right_to_add_the_new_document(client, world):
    order = world.order((world.rice, 5, 2))
    client.force_login(a_documents_clerk("view_salesorder"))
    assert offered(client.get(url(order, "change"))) == []
    assert press(client, order, "create", "GoodsIssues").status_code == 403
    assert GoodsIssue.objects.count() == 0


def test_a_copy_reveals_nothing_of_a_document_the_user_may_not_view(client, world):
    order = world.order((world.rice, 5, 2))
    client.force_login(a_documents_clerk("add_goodsissue", "view_goodsissue"))
    address = url(GoodsIssue, "add", source="SalesOrders", source_id=order.pk)
    assert client.get(address).status_code == 403


@pytest.mark.parametrize(
    ("name", "key"),
    [("SalesOrders", "x"), ("SalesOrders", "9" * 18), ("x", "1"), ("GoodsIssues", "1")],
)
def test_a_missing_source_gives_an_empty_form(page, world, name, key):
    world.issue((world.rice, 5, 2), post=False)
    address = url(GoodsIssue, "add", source=name, source_id=key)
    answer = page.get(address)
    assert answer.status_code == 200
    assert answer.context["adminform"].form["counterparty"].value() is None


def test_a_button_of_a_missing_document_redirects_to_the_index(page, world):
    order = world.order((world.rice, 5, 2))
    path = url(order, "change").replace(f"/{order.pk}/", "/4711/")
    answer = page.post(path.replace("change", "post"), follow=True)
    assert "4711" in said(answer)[0]
    assert SalesOrder.objects.count() == 1
