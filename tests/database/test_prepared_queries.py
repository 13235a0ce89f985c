"""Queries that are compiled once get other values at each use."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model
from django.db.models import F
from django.db.models.sql.compiler import SQLCompiler

from documents.models import GoodsReceipt
from platform_site.database.prepared_queries import PreparedQuery, updating
from tests.documents.rows import World

pytestmark = pytest.mark.django_db
User = get_user_model()
_NAMED = PreparedQuery(
    lambda name, active: (
        User.objects.filter(username=name, is_active=active)
        .order_by("pk")
        .values_list("first_name")
    )
)
_ANY_OF = PreparedQuery(
    lambda keys: (
        User.objects.filter(pk__one_of=keys)
        .order_by("username")
        .values_list("username")
    )
)


@pytest.fixture
def compiled(monkeypatch):
    """Return a list with an entry for each query that is compiled."""
    found, compile_one = [], SQLCompiler.as_sql

    def as_sql(self, *args, **kwargs):
        found.append(self.query)
        return compile_one(self, *args, **kwargs)

    monkeypatch.setattr(SQLCompiler, "as_sql", as_sql)
    return found


def test_a_query_is_compiled_once_and_finds_what_each_use_asks_for(compiled):
    for name in ("ann", "bea"):
        User.objects.create(username=name, first_name=name.title())
    query = PreparedQuery(
        lambda name: User.objects.filter(username=name).values_list("first_name")
    )
    compiled.clear()
    assert [query.rows(name) for name in ("ann", "bea", "cid")] == [
        [("Ann",)],
        [("Bea",)],
        [],
    ]
    assert len(compiled) == 1


def test_parameters_keep_their_order():
    User.objects.create(username="ann", first_name="Ann", is_active=False)
    assert _NAMED.rows("ann", False) == [("Ann",)]
    assert _NAMED.rows("ann", True) == []


def test_a_list_is_one_parameter():
    users = [User.objects.create(username=name) for name in ("a", "b", "c")]
    assert _ANY_OF.rows([users[0].pk, users[2].pk]) == [("a",), ("c",)]
    assert _ANY_OF.rows([]) == []


def test_an_update_tells_how_many_rows_it_found():
    named = PreparedQuery(
        lambda name, new: updating(User.objects.filter(username=name), first_name=new)
    )
    User.objects.create(username="ann")
    assert (named.update("ann", "Ann"), named.update("bea", "Bea")) == (1, 0)
    assert User.objects.get(username="ann").first_name == "Ann"


def test_an_update_may_compute_from_the_row():
    user = User.objects.create(username="ann")
    added = PreparedQuery(
        lambda key, more: updating(User.objects.filter(pk=key), id=F("id") + more)
    )
    assert added.update(user.pk, 500) == 1
    assert User.objects.get(username="ann").pk == user.pk + 500


def test_values_come_and_go_as_the_fields_have_them():
    world = World()
    receipt = world.receipt((world.rice, 2, "1.5"))
    since = PreparedQuery(
        lambda moment: GoodsReceipt.objects.filter(date__gte=moment).values_list(
            "date", "total"
        )
    )
    assert since.rows(receipt.date) == [(receipt.date, Decimal("3.0000"))]
    assert since.rows(datetime(2999, 1, 1, tzinfo=UTC)) == []
