"""The forms of documents that are created from others or as a copy: they open filled in
with what is still open, and nothing is written before they are saved."""

from __future__ import annotations

import pytest

from catalogs.constants import set_value
from documents.constants import DEFAULT_BANK_ACCOUNT, DEFAULT_WAREHOUSE
from documents.models import BankReceipt, GoodsIssue, GoodsReceipt, SalesOrder
from platform_site.records import services
from tests.catalogs.rows import boss, stored
from tests.documents.pages import add, lines_typed, press, typed
from tests.documents.rows import a_documents_clerk
from tests.records.pages import said, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def stock(world):
    """Return the world with enough rice and tea."""
    world.receipt((world.rice, 100, 1), (world.tea, 100, 1))
    return world


def offered(page, row):
    """Return the addresses of the documents that the strip offers to create."""
    steps = page.get(url(row, "row")).context["flow"]
    return [step.action.url for step in steps if step.action]


def form_from(page, source, model):
    """Return the page with the form of a document created from another."""
    about = {"source": source.catalog_name, "source_id": source.pk}
    return page.get(url(model, "add", **about))


def lines_of(answer):
    formset = answer.context["inline_admin_formsets"][0].formset
    return [
        (form["item"].value(), form["quantity"].value(), form["price"].value())
        for form in formset.forms
    ]


def values_of(answer):
    form = answer.context["adminform"].form
    return {name: form[name].value() for name in form.fields}


def test_an_order_offers_an_issue_of_everything_ordered(page, stock):
    order = stock.order((stock.rice, 5, 2), (stock.tea, 1, 3))
    (address,) = offered(page, order)
    answer = page.get(address)
    assert lines_of(answer) == [
        (stock.rice.pk, "5", "2.00"),
        (stock.tea.pk, "1", "3.00"),
    ]
    values = values_of(answer)
    assert (values["order"], values["warehouse"]) == (order.pk, stock.main.pk)
    assert (values["counterparty"], values["currency"]) == (
        stock.partner.pk,
        stock.eur.pk,
    )
    assert values["code"] in (None, "")
    assert GoodsIssue.objects.count() == 0


def test_a_second_issue_of_an_order_proposes_what_is_still_open(page, stock):
    order = stock.order((stock.rice, 5, 2), (stock.tea, 1, 3), (stock.rice, 2, 4))
    stock.issue((stock.rice, 6, 2), on=2, orderId=order.pk)
    answer = form_from(page, order, GoodsIssue)
    assert lines_of(answer) == [
        (stock.tea.pk, "1", "3.00"),
        (stock.rice.pk, "1", "4.00"),
    ]


def test_a_delivered_order_offers_nothing_and_copies_all_on_request(page, stock):
    order = stock.order((stock.rice, 5, 2))
    stock.issue((stock.rice, 5, 2), on=2, orderId=order.pk)
    assert not [a for a in offered(page, order) if "goodsissue" in a]
    assert lines_of(form_from(page, order, GoodsIssue)) == [
        (stock.rice.pk, "5", "2.00")
    ]


def test_an_issue_without_a_warehouse_gets_that_of_the_constant(page, stock):
    set_value(name=DEFAULT_WAREHOUSE, value="OTHER", actor=boss())
    order = stock.order((stock.rice, 5, 2), warehouseId=None)
    answer = form_from(page, order, GoodsIssue)
    assert values_of(answer)["warehouse"] == stock.other.pk


def test_an_issue_offers_a_payment_of_what_is_open(page, stock):
    issue = stock.issue((stock.rice, 5, 2), on=2)
    stock.payment(4, issueId=issue.pk)
    (address,) = offered(page, issue)
    values = values_of(page.get(address))
    assert values["amount"] == "6.00"
    assert (values["issue"], values["bank_account"]) == (issue.pk, stock.bank.pk)
    assert values["is_income"] is True


def test_a_payment_goes_to_the_account_of_the_currency_that_was_used_last(page, stock):
    stock.payment(4, bankAccountId=stock.dollars.pk)
    issue = stock.issue((stock.rice, 5, 2), on=2)
    answer = form_from(page, issue, BankReceipt)
    assert values_of(answer)["bank_account"] == stock.bank.pk


def test_a_payment_goes_to_the_account_that_the_constant_names(page, stock):
    second = services.create_record(
        model=type(stock.bank),
        data={"code": "B2", "name": "Second", "currencyId": stock.eur.pk},
        actor=boss(),
    )
    issue = stock.issue((stock.rice, 5, 2), on=2)
    assert values_of(form_from(page, issue, BankReceipt))["bank_account"] is None
    set_value(name=DEFAULT_BANK_ACCOUNT, value="B2", actor=boss())
    answer = form_from(page, issue, BankReceipt)
    assert values_of(answer)["bank_account"] == second.pk


def test_a_paid_or_unposted_issue_offers_no_payment(page, stock):
    draft = stock.issue((stock.rice, 5, 2), on=2, post=False)
    paid = stock.issue((stock.rice, 5, 2), on=2)
    stock.payment(10, issueId=paid.pk)
    assert offered(page, draft) == offered(page, paid) == []


def test_the_form_that_was_filled_in_is_saved_as_a_new_document(page, stock):
    order = stock.order((stock.rice, 5, "2.5"))
    (address,) = offered(page, order)
    sent = {
        "order": order.pk,
        "counterparty": stock.partner.pk,
        "currency": stock.eur.pk,
        "warehouse": stock.main.pk,
        "date_0": "2026-03-05",
        "date_1": "12:00:00",
        **lines_typed((stock.rice, 5, "2.5")),
    }
    assert page.post(address, sent).status_code == 302
    assert GoodsIssue.objects.get().order_id == order.pk


@pytest.mark.parametrize("kind", ["order", "receipt", "payment"])
def test_a_copy_has_the_content_but_no_number_and_no_old_date(page, stock, kind):
    if kind == "payment":
        row = stock.payment(7, purpose="Thanks")
    else:
        row = getattr(stock, kind)((stock.rice, 5, 2), comment="Mind the step")
    answer = page.get(url(row, "row"))
    (copy,) = [each for each in answer.context["actions"] if each.label == "Copy"]
    answer = page.get(copy.url)
    values = values_of(answer)
    assert values["counterparty"] == stock.partner.pk
    assert values["code"] in (None, "")
    assert values["date"].year > 2025
    assert values["date"] != row.date
    if kind == "payment":
        assert (values["amount"], values["purpose"]) == ("7.00", "Thanks")
        return
    assert values["comment"] == "Mind the step"
    assert lines_of(answer) == [(stock.rice.pk, "5", "2.00")]


def test_a_new_document_begins_with_what_the_person_chose_last(page, world):
    answer = page.get(url(GoodsReceipt, "add"))
    assert values_of(answer)["warehouse"] is None
    data = typed(world, (world.rice, "5", "1"), warehouse=world.other.pk)
    assert add(page, GoodsReceipt, data).status_code == 302
    values = values_of(page.get(url(GoodsReceipt, "add")))
    assert (values["warehouse"], values["currency"]) == (world.other.pk, world.eur.pk)


def test_nothing_is_created_from_a_deleted_document(page, world):
    order = world.order((world.rice, 5, 2))
    services.delete_record(row=stored(order), actor=boss())
    about = {"source": "SalesOrders", "source_id": order.pk}
    answer = page.get(url(GoodsIssue, "add", **about), follow=True)
    assert answer.redirect_chain == [(url(order, "row"), 302)]
    assert "nothing can be created from it" in said(answer)[0]
    assert offered(page, order) == []


def test_creating_needs_the_right_to_add_the_new_document(client, world):
    order = world.order((world.rice, 5, 2))
    client.force_login(a_documents_clerk("view_salesorder", "view_goodsissue"))
    assert offered(client, order) == []
    assert form_from(client, order, GoodsIssue).status_code == 403


def test_a_copy_reveals_nothing_of_a_document_the_user_may_not_view(client, world):
    order = world.order((world.rice, 5, 2))
    client.force_login(a_documents_clerk("add_goodsissue", "view_goodsissue"))
    assert form_from(client, order, GoodsIssue).status_code == 403


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("SalesOrders", "x"),
        ("SalesOrders", "9" * 18),
        ("x", "1"),
        ("BankReceipts", "1"),
    ],
)
def test_a_missing_source_gives_an_empty_form(page, world, name, key):
    world.payment(5)
    answer = page.get(url(GoodsIssue, "add", source=name, source_id=key))
    assert answer.status_code == 200
    assert values_of(answer)["counterparty"] is None


def test_a_button_of_a_missing_document_says_that_it_is_missing(page, world):
    order = world.order((world.rice, 5, 2))
    path = url(order, "change").replace(f"/{order.pk}/", "/4711/")
    assert page.post(path.replace("change", "post")).status_code == 404
    assert SalesOrder.objects.count() == 1
    assert press(page, order, "post").status_code == 200
