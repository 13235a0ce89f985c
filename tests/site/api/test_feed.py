"""Following the changes over HTTP: positions, filters, rights, and what is refused."""

from __future__ import annotations

import pytest

from platform_site.changes.context import ChangeOrigin, acting_as
from platform_site.changes.models import ChangeEvent
from tests.catalogs.rows import a_unit, an_item
from tests.changes.feed_readers import an_event
from tests.site.api.callers import a_user, with_token

pytestmark = pytest.mark.django_db


def pages(caller, query, after):
    """Return the ids of all pages from a position on, and where they end."""
    found = []
    while True:
        page = caller.get(f"/Changes?after={after}&limit=2&{query}").json()
        assert set(page) == {"results", "next"}
        found += [each["id"] for each in page["results"]]
        if page["next"] == after:
            return found, after
        after = page["next"]


def test_pages_continue_to_the_end_of_the_feed(admin):
    start = admin.get("/Changes?after=latest").json()
    assert start["results"] == []
    written = [an_event(f"row {number}", number) for number in range(1, 6)]
    assert pages(admin, "", start["next"]) == (written, written[-1])
    everything = ChangeEvent.objects.order_by("id").values_list("id", flat=True)
    assert pages(admin, "", 0)[0] == list(everything)


def test_filters_leave_out_the_rest_and_the_position_passes_it(admin):
    user = a_user("emma", "employee")
    with acting_as(user, ChangeOrigin.SCHEDULED_JOB):
        wanted = an_event(row_id=8)
    end = an_event(row_id=9)
    for query in (
        "model=Items&rowId=8",
        f"userId={user.pk}",
        "origin=Scheduled%20job",
        f"action=updated&userId={user.pk}",
    ):
        assert pages(admin, query, wanted - 1) == ([wanted], end)
        newest = admin.get(f"/Changes?{query}").json()
        assert [each["id"] for each in newest["results"]] == [wanted]


def test_a_reader_who_may_see_little_comes_to_the_end_too(admin):
    a_user("vera", "user")
    a_user("nina")
    start = admin.get("/Changes?after=latest").json()["next"]
    a_unit()
    item = an_item()
    a_user("zoe", "user")
    mine, end = pages(with_token("vera"), "", start)
    theirs, same_end = pages(with_token("nina"), "", start)
    events = ChangeEvent.objects.filter(
        id__gt=start, model__in=("Items", "UnitsOfMeasure")
    )
    assert mine == list(events.order_by("id").values_list("id", flat=True))
    assert theirs == []
    assert end == same_end == ChangeEvent.objects.latest("id").pk
    assert item.pk in events.values_list("row_id", flat=True)


def test_limit_alone_is_the_size_of_a_page(admin):
    an_event()
    page = admin.get("/Changes?limit=1").json()
    assert len(page["results"]) == 1
    assert page["count"] > 1
    assert "limit=1" in page["next"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("after=x", "after"),
        ("after=-1", "after"),
        ("after=99999999999", "after"),
        ("after=0&limit=0", "limit"),
        ("after=0&limit=1001", "limit"),
        ("after=0&page=1", "page"),
        ("limit=5&pageSize=5", "pageSize"),
        ("origin=Nobody", "origin"),
        ("action=eaten", "action"),
        ("userId=x", "userId"),
    ],
)
def test_wrong_questions_are_refused(admin, query, named):
    answer = admin.get(f"/Changes?{query}")
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {named}
