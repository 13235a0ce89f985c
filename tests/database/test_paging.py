"""Pages of big tables: what is counted, and which queries a page takes."""

from __future__ import annotations

import pytest
from django.core.paginator import EmptyPage
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogs.models import Warehouse
from platform_site.database import paging
from platform_site.database.paging import BigTablePaginator, CountingPaginator
from tests.catalogs.rows import a_warehouse, boss
from tests.query_plans import plans

pytestmark = pytest.mark.django_db


@pytest.fixture
def small(monkeypatch):
    """Make twelve rows a big table, of which eight are counted."""
    for number in range(12):
        a_warehouse(code=f"W{number:02}")
    monkeypatch.setattr(BigTablePaginator, "most", 8)
    monkeypatch.setattr(paging, "_FEW", 3)
    monkeypatch.setattr(paging, "_DEEP", 4)


def rows(**filters):
    return Warehouse.objects.filter(**filters).order_by("code")


def codes(page):
    return [row.code for row in page]


@pytest.mark.usefixtures("small")
def test_more_rows_than_are_counted_are_only_said_to_be_more():
    pages = BigTablePaginator(rows(), 3)
    assert (pages.count, pages.is_more, pages.num_pages) == (8, True, 3)
    assert codes(pages.page(1)) == ["W00", "W01", "W02"]
    assert codes(pages.page(3)) == ["W06", "W07"]
    with pytest.raises(EmptyPage):
        pages.page(4)


@pytest.mark.usefixtures("small")
def test_rows_up_to_the_limit_are_counted_exactly():
    pages = BigTablePaginator(rows(code__lt="W08"), 3)
    assert (pages.count, pages.is_more) == (8, False)


@pytest.mark.usefixtures("small")
def test_a_page_far_from_the_start_has_the_same_rows_in_the_same_order():
    pages = BigTablePaginator(rows().order_by("-code"), 2)
    assert codes(pages.page(4)) == ["W05", "W04"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("order", ["code", "-code", "name"])
def test_a_page_near_the_end_is_counted_from_there(order):
    ordered = rows().order_by(order, "pk")
    pages = CountingPaginator(ordered, 5)
    assert (pages.count, pages.is_more) == (12, False)
    with CaptureQueriesContext(connection) as queries:
        last = codes(pages.page(3))
    assert last == codes(ordered)[10:]
    assert "OFFSET" not in queries[0]["sql"]
    assert [codes(pages.page(n)) for n in (1, 2)] == [
        codes(ordered)[:5],
        codes(ordered)[5:10],
    ]


@pytest.mark.usefixtures("small")
def test_rows_in_an_order_without_an_index_are_sorted_by_their_keys():
    with CaptureQueriesContext(connection) as queries:
        page = BigTablePaginator(rows().order_by("-name", "-pk"), 3).page(1)
        assert len(codes(page)) == 3
    *_, keys, last = (one["sql"] for one in queries)
    assert '"address"' not in keys
    assert "ORDER BY" in keys
    assert '"address"' in last


@pytest.mark.usefixtures("small")
def test_a_few_rows_are_searched_once():
    with CaptureQueriesContext(connection) as queries:
        pages = BigTablePaginator(rows(code__contains="W1"), 2)
        assert (pages.count, codes(pages.page(1))) == (2, ["W10", "W11"])
    assert len(queries) == 2
    with CaptureQueriesContext(connection) as queries:
        pages = BigTablePaginator(rows(code="none"), 2)
        assert (pages.count, codes(pages.page(1))) == (0, [])
    assert len(queries) == 1


@pytest.mark.usefixtures("small")
def test_rows_that_were_counted_are_not_counted_again():
    counted = BigTablePaginator(rows(), 3)
    assert counted.count == 8
    with CaptureQueriesContext(connection) as queries:
        pages = BigTablePaginator(counted.narrowed(rows()), 3)
        assert (pages.count, codes(pages.page(1))) == (8, ["W00", "W01", "W02"])
    assert len(queries) == 1


@pytest.mark.usefixtures("small")
def test_the_api_counts_to_the_end(client):
    client.force_login(boss())
    first = client.get("/api/v1/Warehouses?pageSize=10").json()
    assert (first["count"], len(first["results"])) == (12, 10)
    second = client.get(first["next"]).json()
    assert (len(second["results"]), second["next"]) == (2, None)
    assert client.get("/api/v1/Warehouses?pageSize=10&page=3").status_code == 404
    found = client.get("/api/v1/Warehouses?code=W03").json()
    assert (found["count"], found["next"]) == (1, None)


@pytest.mark.usefixtures("small")
def test_a_list_says_that_there_are_more(client):
    client.force_login(boss())
    text = client.get("/admin/catalogs/warehouse/").content.decode()
    assert "There are more than 8 rows." in text
    text = client.get("/admin/catalogs/warehouse/?q=W03").content.decode()
    assert "There are more than" not in text


def test_the_changes_of_a_run_are_found_and_sorted_by_an_index(client):
    client.force_login(boss())
    run = "00000000-0000-0000-0000-000000000001"
    with plans() as taken:
        client.get(f"/api/v1/Changes?runId={run}")
        client.get(f"/admin/changes/changeevent/?run_id={run}")
    of_run = [plan for sql, plan in taken.items() if '"run_id" >=' in sql]
    assert of_run
    assert all("change_of_run" in plan for plan in of_run)
    assert not [plan for plan in of_run if "TEMP B-TREE" in plan]


def test_deletions_are_found_by_an_index_of_their_own(client):
    client.force_login(boss())
    with plans() as taken:
        client.get("/admin/changes/changeevent/?action__exact=deleted&model=Items")
    of_deletions = [plan for sql, plan in taken.items() if '"action" =' in sql]
    assert of_deletions
    assert all("change_deleted" in plan for plan in of_deletions)


def test_the_list_of_changes_asks_no_event_for_its_kind(client):
    client.force_login(boss())
    with CaptureQueriesContext(connection) as queries:
        client.get("/admin/changes/changeevent/")
    assert not [each for each in queries if "DISTINCT" in each["sql"]]
