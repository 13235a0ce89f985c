"""The totals of big registers, which a page asks for after it is shown."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from documents.models import LedgerEntry, StockMovement
from platform_site.database.paging import BigTablePaginator
from tests.catalogs.rows import a_clerk, boss
from tests.documents.rows import a_documents_clerk
from tests.query_plans import plans
from tests.records.pages import url

pytestmark = pytest.mark.django_db
SUMMED = ("EUR", "All", "39.00", "39.00", "0.00")


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def big(world, monkeypatch):
    """Return a world whose seven entries are more than a list counts."""
    monkeypatch.setattr(BigTablePaginator, "most", 2)
    monkeypatch.setattr("platform_site.database.paging._FEW", 1)
    world.receipt((world.rice, 10, 2), (world.tea, 3, 2), on=1)
    world.issue((world.rice, 2, "4.5"), on=2)
    return world


def asked_for(answer):
    """Return the address of the totals that a page asks for."""
    return answer.context["totals_url"]


def rows_of(answer):
    return [texts + numbers for texts, numbers in answer.context["totals"].rows]


def test_a_big_list_is_shown_before_its_totals(page, big):
    with CaptureQueriesContext(connection) as queries:
        answer = page.get(url(LedgerEntry, "changelist"))
    assert not [one for one in queries if "SUM(" in one["sql"]]
    address = asked_for(answer)
    assert f'hx-get="{address}"' in answer.content.decode()
    part = page.get(address, headers={"HX-Request": "true"})
    assert rows_of(part)[-1] == SUMMED
    assert "<html" not in part.content.decode()


def test_totals_are_a_page_of_their_own_without_a_script(page, big):
    query = {"document_type": "GoodsIssues"}
    whole = page.get(asked_for(page.get(url(LedgerEntry, "changelist", **query))))
    assert rows_of(whole)[-1] == ("EUR", "All", "13.00", "13.00", "0.00")
    back = re.findall(
        r'<div class="breadcrumbs">.*?</div>', whole.content.decode(), re.S
    )
    assert "document_type=GoodsIssues" in back[0]


@pytest.mark.parametrize("model", [LedgerEntry, StockMovement])
@pytest.mark.parametrize("query", [{}, {"date__year": "2026"}, {"p": "2"}, {"o": "0"}])
def test_totals_of_a_list_are_those_of_all_its_rows(page, big, model, query):
    later = page.get(asked_for(page.get(url(model, "changelist", **query))))
    BigTablePaginator.most = 10_000
    at_once = page.get(url(model, "changelist", **query))
    assert rows_of(later) == rows_of(at_once)


def test_totals_need_the_right_to_view_the_list(client, big):
    address = reverse("admin:documents_ledgerentry_totals")
    assert client.get(address).status_code == 302
    client.force_login(a_clerk())
    assert client.get(address).status_code == 403
    client.force_login(a_documents_clerk("view_ledgerentry"))
    assert client.get(address).status_code == 200


def test_totals_with_a_wrong_filter_lead_to_the_list(page, big):
    answer = page.get(reverse("admin:documents_ledgerentry_totals"), {"x": "1"})
    assert answer["Location"] == url(LedgerEntry, "changelist")


@pytest.mark.parametrize(
    "query", [{}, {"date__year": "2026"}, {"document_type": "GoodsIssues"}]
)
def test_totals_of_the_ledger_read_nothing_but_an_index(page, big, query):
    with plans() as taken:
        page.get(reverse("admin:documents_ledgerentry_totals"), query)
    (plan,) = (plan for sql, plan in taken.items() if "SUM(" in sql)
    assert "COVERING INDEX ledger_sums" in plan
