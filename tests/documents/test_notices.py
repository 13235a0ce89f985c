"""The lines of the start page about documents: what is late, overdue and not posted."""

from __future__ import annotations

from datetime import timedelta
from unittest import mock

import pytest
from django.utils import timezone

from documents import notices
from documents.local_days import today
from documents.models import GoodsIssue
from tests.catalogs.rows import boss
from tests.documents.rows import a_documents_clerk


def ago(days):
    return (timezone.now() - timedelta(days=days)).isoformat()


@pytest.fixture
def behind(world):
    """Return a world with a late order, an overdue issue and an issue left unposted."""
    due = (today() - timedelta(days=1)).isoformat()
    world.late = world.order((world.rice, 2, 3), on=ago(9), dueDate=due)
    world.order((world.rice, 2, 3), on=ago(9), dueDate=today().isoformat())
    world.receipt((world.rice, 10, 1), on=ago(99))
    world.owed = world.issue((world.rice, 1, 5), on=ago(60))
    world.issue((world.rice, 1, 5), on=ago(1))
    world.left = world.issue((world.rice, 1, 5), on=ago(3), post=False)
    world.issue((world.rice, 1, 5), on=ago(0), post=False)
    return world


def lines(client, user):
    client.force_login(user)
    return client.get("/admin/").context["attention"]


def rows_behind(client, notice):
    answer = client.get(notice.link)
    assert answer.status_code == 200, notice
    return [row.pk for row in answer.context["cl"].result_list]


def test_a_clerk_sees_late_orders_and_they_are_what_the_link_shows(behind, client):
    (notice,) = lines(client, a_documents_clerk("view_salesorder"))
    assert notice.text == "1 order is late: it should have been delivered by now."
    assert rows_behind(client, notice) == [behind.late.pk]


def test_a_clerk_sees_overdue_and_unposted_issues(behind, client):
    overdue, unposted = lines(client, a_documents_clerk("view_goodsissue"))
    assert overdue.text.startswith("1 goods issue is overdue")
    assert rows_behind(client, overdue) == [behind.owed.pk]
    assert unposted.text == "Goods issues: 1 from before today isn't posted yet."
    assert rows_behind(client, unposted) == [behind.left.pk]


def test_a_clerk_without_rights_sees_none_of_it(behind, client):
    assert lines(client, a_documents_clerk("view_ledgerentry")) == []


def test_nobody_is_told_exactly_how_many_thousands_there_are(behind):
    with mock.patch.object(notices, "_MOST", 0):
        (notice,) = notices.unposted(GoodsIssue)(boss())
    assert "more than 0" in notice.text
