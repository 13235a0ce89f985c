"""The plots of the start page about documents: their numbers, who sees them, and where
their points lead."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from catalogs.models import Currency
from documents import plots
from documents.admin.list_links import list_link
from documents.models import GoodsIssue
from documents.registers.balances import stock_on_hand
from documents.reports.cache import results
from documents.reports.periods import months
from platform_site.plots import plots_for
from tests.catalogs.rows import a_row, boss
from tests.documents.rows import a_documents_clerk

D = Decimal


@pytest.fixture(autouse=True)
def nothing_kept():
    """Forget the reports of other tests, whose rows are rolled back unseen."""
    results._kept.clear()


@pytest.fixture
def trade(world):
    """Return a world that bought 20 rice last month, and sold some then and now."""
    before, now = months(2)[0] + timedelta(hours=1), months(2)[1] + timedelta(hours=1)
    world.receipt((world.rice, 20, 2), on=before.isoformat())
    world.then = world.issue((world.rice, 5, 3), on=before.isoformat())
    world.issue((world.rice, 2, 4), on=now.isoformat())
    return world


def amounts(plot):
    return [point.values[0] for point in plot.points]


def rows_behind(client, point):
    """Return the rows of the list that a point leads to."""
    answer = client.get(point.link)
    assert answer.status_code == 200, answer
    return list(answer.context["cl"].result_list)


def test_sales_are_those_of_posted_issues_by_month(trade):
    trade.issue((trade.rice, 1, 100), post=False)
    (plot,) = plots.sales(boss())
    assert amounts(plot)[-2:] == [D(15), D(8)]
    assert "8.00" in plot.finding


def test_a_month_leads_to_its_issues(trade, client):
    client.force_login(boss())
    (plot,) = plots.sales(boss())
    (issue,) = rows_behind(client, plot.points[-2])
    assert issue.pk == trade.then.pk


def test_each_currency_has_a_plot_of_its_own(trade):
    now = timezone.now().isoformat()
    trade.issue((trade.freight, 1, 50), on=now, currencyId=trade.usd.pk)
    found = {plot.subject[-3:]: amounts(plot)[-1] for plot in plots.sales(boss())}
    assert found == {"EUR": D(8), "USD": D(50)}


def test_too_many_currencies_are_only_named(trade):
    now = timezone.now().isoformat()
    for code in ("AAA", "BBB", "CCC"):
        other = a_row(Currency, code=code, name=code)
        trade.issue((trade.freight, 1, 1), on=now, currencyId=other.pk)
    found = [*plots.sales(boss())]
    assert len(found) == 3
    assert "CCC" in found[-1].note


def test_the_stock_is_worth_what_the_report_says(trade):
    (plot,) = plots.stock_value(boss())
    ends = [edge - timedelta.resolution for edge in months(12)[1:-1]]
    reported = [sum(row.value for row in stock_on_hand(end)) for end in ends]
    reported.append(sum(row.value for row in stock_on_hand()))
    assert amounts(plot) == reported[-len(plot.points) :]
    assert amounts(plot)[-2:] == [D(30), D(26)]


def test_stock_in_two_currencies_has_two_plots(trade):
    now, before = timezone.now().isoformat(), months(2)[0].isoformat()
    trade.receipt((trade.tea, 1, 7), on=before, currencyId=trade.usd.pk)
    trade.receipt((trade.tea, 1, 7), on=now, currencyId=trade.usd.pk)
    found = {plot.subject[-3:]: amounts(plot) for plot in plots.stock_value(boss())}
    assert found["EUR"][-2:] == [D(30), D(26)]
    assert found["USD"][-2:] == [D(7), D(14)]


def test_a_month_end_leads_to_the_stock_of_that_day(trade, client):
    client.force_login(boss())
    (plot,) = plots.stock_value(boss())
    (row,) = client.get(plot.points[-2].link).context["rows"]
    assert [cell.text for _heading, cell in row][2] == "15"


def test_receivables_are_grouped_by_how_long_they_are_overdue(world, client):
    now = timezone.now()
    world.receipt((world.rice, 100, 1), on=(now - timedelta(days=300)).isoformat())
    for days, price in ((1, 1), (20, 2), (50, 4), (90, 8), (200, 16)):
        on = (now - timedelta(days=days)).isoformat()
        issue = world.issue((world.rice, 1, price), on=on)
    world.payment(6, on=now.isoformat(), issueId=issue.pk)
    (plot,) = plots.receivables(boss())
    assert amounts(plot) == [D(1), D(2), D(4), D(8), D(10)]
    assert "25.00" in plot.finding
    client.force_login(boss())
    for point in plot.points:
        listed = rows_behind(client, point)
        assert sum(row.total - row.paid for row in listed) == point.values[0]


def test_there_is_no_plot_without_numbers(db):
    assert plots_for(boss()) == []


def test_a_clerk_sees_only_plots_of_what_he_may_see(trade):
    def seen(*rights):
        found = plots_for(a_documents_clerk(*rights))
        return {plot.key.partition("-")[0] for plot in found}

    assert seen() == set()
    assert seen("view_goodsissue") == {"sales", "receivables"}
    assert seen("view_stockmovement") == {"stock"}
    assert seen("view_ledgerentry") == set()


def test_a_link_keeps_its_filters():
    address = list_link(GoodsIssue, unpaid="yes", warehouse__id__exact=None)
    assert urlsplit(address).query == "unpaid=yes"
