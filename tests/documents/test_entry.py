"""What a form answers while a document is entered, and which rights that needs."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from documents.admin.buttons import page_of
from documents.models import BankReceipt, GoodsIssue, GoodsReceipt, SalesOrder
from platform_site.records.services import update_record
from tests.catalogs.rows import boss, stored
from tests.documents.rows import a_documents_clerk
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def asked(client, model, **query):
    """Return the answer to what is chosen in a form."""
    address = page_of(model, "entry")
    found = client.get(address, query)
    assert found.status_code == 200, found
    return found.json()


@pytest.fixture
def goods(world):
    """Return the world with rice at a price, and some of it in stock."""
    update_record(row=world.rice, data={"price": "12.34"}, actor=boss())
    world.receipt((world.rice, 7, "9.5"))
    return world


def test_an_item_brings_its_price_unit_and_stock(page, goods):
    unit = goods.rice.unit_of_measure.code
    query = {"item": goods.rice.pk, "warehouse": goods.main.pk}
    found = asked(page, GoodsIssue, currency=goods.eur.pk, **query)
    assert found == {
        "currency": {"code": "EUR", "digits": 2},
        "items": {
            f"{goods.rice.pk}": {
                "price": "12.3400",
                "unit": unit,
                "stock": "7.0000",
                "said": f"7 {unit} in MAIN",
            }
        },
    }


def test_several_items_are_answered_at_once(page, goods, connection_queries):
    query = {"warehouse": goods.main.pk}
    one = connection_queries(
        lambda: asked(page, SalesOrder, item=[goods.rice.pk], **query)
    )
    items = [goods.rice.pk, goods.tea.pk, goods.freight.pk]
    assert len(asked(page, SalesOrder, item=items, **query)["items"]) == 3
    many = connection_queries(lambda: asked(page, SalesOrder, item=items, **query))
    assert many == one


def test_a_service_has_no_stock_and_new_goods_have_none_yet(page, goods):
    items = [goods.freight.pk, goods.tea.pk]
    found = asked(page, GoodsIssue, item=items, warehouse=goods.main.pk)["items"]
    assert "stock" not in found[f"{goods.freight.pk}"]
    assert found[f"{goods.tea.pk}"]["stock"] == "0.0000"


def test_a_receipt_proposes_the_price_of_the_last_purchase(page, goods):
    goods.receipt((goods.rice, 1, "9.75"))
    found = asked(page, GoodsReceipt, item=goods.rice.pk)["items"]
    assert found[f"{goods.rice.pk}"]["price"] == "9.7500"
    found = asked(page, GoodsReceipt, item=goods.tea.pk)["items"]
    assert found[f"{goods.tea.pk}"]["price"] is None


@pytest.mark.parametrize("item", ["x", "9" * 18, "-1", ""])
def test_an_item_that_does_not_exist_has_no_answer(page, world, item):
    assert asked(page, GoodsIssue, item=item)["items"] == {}


def test_the_answers_need_the_right_to_enter_the_document(client, goods):
    client.force_login(a_documents_clerk("view_goodsissue"))
    assert client.get(page_of(GoodsIssue, "entry")).status_code == 403


def test_prices_and_stock_are_for_those_who_may_see_them(client, goods):
    clerk = a_documents_clerk("add_goodsissue")
    client.force_login(clerk)
    query = {"item": goods.rice.pk, "warehouse": goods.main.pk}
    assert asked(client, GoodsIssue, **query)["items"] == {}
    clerk.user_permissions.add(Permission.objects.get(codename="view_item"))
    (facts,) = asked(client, GoodsIssue, **query)["items"].values()
    assert "price" in facts
    assert "stock" not in facts


def test_a_payment_is_compared_with_what_is_due(page, goods):
    issue = goods.issue((goods.rice, 2, 5), on=2)
    goods.payment(4, issueId=issue.pk)

    def said(amount, **query):
        found = asked(page, BankReceipt, issue=issue.pk, amount=amount, **query)
        return found["said"].replace("\xa0", " "), found["differs"]

    due = f"6.00 EUR of {issue.code} is still to pay."
    assert said("6") == (due, False)
    assert said("6.00", bank_account=goods.bank.pk) == (due, False)
    assert said("7.5") == (f"{due} This is 1.50 EUR more.", True)
    assert said("5") == (f"{due} This is 1.00 EUR less.", True)
    assert said("") == (due, False)
    assert said("5", income="no") == (due, False)
    sentence, differs = said("6", bank_account=goods.dollars.pk)
    assert "doesn't count as its payment" in sentence
    assert differs


def test_a_payment_of_no_issue_is_compared_with_nothing(page, goods):
    assert asked(page, BankReceipt, amount="5") == {"said": "", "differs": False}


def test_what_is_due_is_for_those_who_may_see_issues(client, goods):
    issue = goods.issue((goods.rice, 2, 5), on=2)
    client.force_login(a_documents_clerk("add_bankreceipt"))
    found = asked(client, BankReceipt, issue=issue.pk, amount="1")
    assert found == {"said": "", "differs": False}


def test_the_form_shows_only_the_icon_that_a_clerk_needs(page, world):
    form = page.get(url(GoodsIssue, "add")).context["adminform"].form
    widgets = {name: field.widget for name, field in form.fields.items()}
    added = {n for n, w in widgets.items() if getattr(w, "can_add_related", False)}
    assert added == {"counterparty"}
    assert not any(getattr(w, "can_change_related", False) for w in widgets.values())


def test_the_first_field_is_the_one_that_is_filled_in_first(page, world):
    for model in (SalesOrder, GoodsReceipt, GoodsIssue, BankReceipt):
        form = page.get(url(model, "add")).context["adminform"]
        names = [name for fieldset in form for line in fieldset for name in line.fields]
        assert names[0] == "counterparty"
        assert names[-2:] == ["code", "comment"]
    assert stored(world.rice).code == "RICE"
