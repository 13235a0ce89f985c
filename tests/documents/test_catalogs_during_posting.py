"""Catalog values that posted documents depend on, changed while another connection
posts: whichever comes first, they stay consistent."""

from __future__ import annotations

import pytest
from django.db import transaction

from documents import services as documents
from documents.posting import services as posting
from platform_site.records import services
from platform_site.records.errors import Refusal
from tests.catalogs.rows import boss, stored
from tests.documents.rows import World, edit, on_hand, sentences
from tests.two_connections import Elsewhere, before_each, elsewhere

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_item_keeps_its_category_if_it_is_posted_after_the_check():
    world, actor, posted = World(), boss(), []
    receipt = world.receipt((world.rice, 10, 2), post=False)

    def post_once(*args, **kwargs):
        # The posting commits through the same function.
        if not posted:
            posted.append(receipt)
            elsewhere(documents.post, row=receipt, actor=actor)

    with (
        before_each(services, "commit", post_once),
        pytest.raises(Refusal) as refusal,
    ):
        edit(world.rice, category="service")
    assert f"goods receipt {receipt.code}" in sentences(refusal)["category"]
    assert stored(world.rice).category == "goods"
    assert on_hand(world.rice, world.main)[0] == 10


def test_posting_waits_for_a_change_of_category():
    world, actor = World(), boss()
    receipt = world.receipt((world.rice, 10, 2), post=False)
    with transaction.atomic():
        edit(world.rice, category="service")
        other = Elsewhere(documents.post, row=receipt, actor=actor)
        other.end_or_wait()
    other.end()
    assert stored(receipt).is_active
    assert on_hand(world.rice, world.main)[0] == 0
    assert stored(world.rice).category == "service"


def test_a_change_of_category_waits_for_posting():
    world, actor, change = World(), boss(), []
    receipt = world.receipt((world.rice, 10, 2), post=False)

    def begin(*args, **kwargs):
        what = {"row": stored(world.rice), "data": {"category": "service"}}
        change.append(Elsewhere(services.update_record, actor=actor, **what))
        change[0].end_or_wait()

    with before_each(posting, "_write", begin):
        documents.post(row=receipt, actor=actor)
    assert isinstance(change[0].end(), Refusal)
    assert stored(world.rice).category == "goods"


def test_a_bank_account_posted_after_the_check_keeps_its_currency():
    world, actor, posted = World(), boss(), []
    payment = world.payment("5", post=False)

    def post_once(*args, **kwargs):
        # The posting commits through the same function.
        if not posted:
            posted.append(payment)
            elsewhere(documents.post, row=payment, actor=actor)

    with (
        before_each(services, "commit", post_once),
        pytest.raises(Refusal) as refusal,
    ):
        edit(world.bank, currencyId=world.usd.pk)
    assert f"bank receipt {payment.code}" in sentences(refusal)["currencyId"]
    assert stored(world.bank).currency_id == world.eur.pk


def test_a_save_that_skips_the_rules_is_checked_as_well():
    world = World()
    receipt = world.receipt((world.rice, 10, 2))
    rice = stored(world.rice)
    rice.category = "service"
    with pytest.raises(Refusal, match=f"goods receipt {receipt.code}"):
        rice.save()
    assert stored(world.rice).category == "goods"
