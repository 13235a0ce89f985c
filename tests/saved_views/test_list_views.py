"""The saved views of a list, as people save, open, share and delete them."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogs.models import Item, Warehouse
from platform_site.saved_views import services
from platform_site.saved_views.models import LONGEST_QUERY, DefaultView, SavedView
from tests.catalogs.rows import a_clerk, a_warehouse, an_item, boss
from tests.records.pages import said, url

pytestmark = pytest.mark.django_db
ITEMS = "catalogs.item"


@pytest.fixture
def page(client):
    client.force_login(boss())
    an_item(code="A-1", name="Rice", price="5")
    an_item(code="B-1", name="Beans", price="1")
    return client


def send(client, action, model=Item, **form):
    path = f"{url(model, 'changelist')}views/"
    return client.post(path, {"action": action, **form}, follow=True)


def listed(answer):
    return [row.code for row in answer.context["cl"].result_list]


def views(answer):
    return [view.name for view in answer.context["cl"].views.views]


def a_view(user, name="Dear", query="price__gte=2", shared=False, listed=ITEMS):
    return services.save_view(
        user=user, listed=listed, name=name, query=query, shared=shared
    )


def test_what_is_shown_is_saved_and_opened_under_its_name(page):
    query = {"price__gte": "2", "o": "-1", "cols": "name,code", "p": "1"}
    answer = page.get(url(Item, "changelist", **query))
    sent = answer.context["cl"].views.query
    answer = send(page, "save", name="  Dear   ones ", query=sent)
    assert "The view “Dear ones” has been saved." in said(answer)
    opened = parse_qs(urlsplit(answer.redirect_chain[-1][0]).query)
    assert (opened["price__gte"], opened["cols"]) == (["2"], ["name,code"])
    assert listed(answer) == ["A-1"]
    assert answer.context["cl"].views.current.name == "Dear ones"
    assert not answer.context["cl"].views.is_changed
    assert "View: Dear ones" in answer.content.decode()


def test_the_order_of_a_view_is_the_same_for_who_has_no_boxes_to_select(client):
    clerk = a_clerk("view_item")
    an_item(code="A", name="Wheat")
    an_item(code="B", name="Rice")
    client.force_login(boss())
    answer = client.get(url(Item, "changelist", o="2"))
    assert listed(answer) == ["B", "A"]
    sent = answer.context["cl"].views.query
    send(client, "save", name="By name", query=sent, shared="on")
    client.force_login(clerk)
    view = SavedView.objects.get()
    answer = client.get(url(Item, "changelist", view=view.pk), follow=True)
    assert listed(answer) == ["B", "A"]


def test_a_changed_view_is_saved_again(page):
    view = a_view(boss())
    answer = page.get(url(Item, "changelist", price__gte="1", view=view.pk))
    menu = answer.context["cl"].views
    assert menu.is_changed
    assert "Save the changes to Dear" in answer.content.decode()
    send(page, "update", view=view.pk, query=menu.query)
    view.refresh_from_db()
    assert view.query == "price__gte=1"


def test_the_list_opens_with_the_view_that_a_person_chose(page):
    view = a_view(boss())
    send(page, "open-with", view=view.pk)
    assert listed(page.get(url(Item, "changelist"), follow=True)) == ["A-1"]
    whole = page.get(url(Item, "changelist", view="all"))
    assert listed(whole) == ["A-1", "B-1"]
    narrowed = page.get(url(Item, "changelist", q="Rice"))
    assert narrowed.context["cl"].cleared == "?view=all"
    send(page, "open-whole", view=view.pk)
    assert listed(page.get(url(Item, "changelist"))) == ["A-1", "B-1"]


def test_a_view_without_filters_opens_the_list(page):
    view = a_view(boss(), query="")
    send(page, "open-with", view=view.pk)
    answer = page.get(url(Item, "changelist"), follow=True)
    assert len(answer.redirect_chain) == 1
    assert listed(answer) == ["A-1", "B-1"]


def test_a_view_is_renamed_and_deleted(page):
    view = a_view(boss())
    assert views(send(page, "rename", view=view.pk, name="Costly")) == ["Costly"]
    assert views(send(page, "delete", view=view.pk)) == []


def test_a_view_without_its_filter_says_so_and_shows_the_rest(page):
    query = "price__gte=2&colour=red&cols=code%2Cweight"
    view = a_view(boss(), query=query)
    answer = page.get(url(Item, "changelist", view=view.pk), follow=True)
    assert said(answer) == [
        "The view “Dear” has filters or columns that no longer exist: weight, colour. "
        "The others are applied."
    ]
    assert listed(answer) == ["A-1"]


def test_a_shared_view_is_offered_to_everybody_in_its_own_list(page, client):
    a_view(boss(), shared=True)
    a_view(boss(), name="Mine alone")
    a_warehouse()
    client.force_login(a_clerk("view_item", "view_warehouse"))
    assert views(client.get(url(Item, "changelist"))) == ["Dear"]
    assert views(client.get(url(Warehouse, "changelist"))) == []


def test_a_view_of_somebody_else_is_neither_opened_nor_changed(page, client):
    shared, own = a_view(boss(), shared=True), a_view(boss(), name="Mine alone")
    client.force_login(a_clerk("view_item"))
    answer = client.get(url(Item, "changelist", view=own.pk))
    assert listed(answer) == ["A-1", "B-1"]
    for action in ("update", "rename", "delete", "unshare"):
        assert send(client, action, view=shared.pk, name="X").status_code == 403
        assert send(client, action, view=own.pk, name="X").status_code == 404
    assert SavedView.objects.filter(name__in=["Dear", "Mine alone"]).count() == 2
    assert (
        "Delete the view"
        not in client.get(
            url(Item, "changelist", view=shared.pk), follow=True
        ).content.decode()
    )


def test_only_those_with_the_right_share_views(page, client):
    clerk = a_clerk("view_item")
    client.force_login(clerk)
    form = {"name": "Dear", "query": "price__gte=2"}
    text = client.get(url(Item, "changelist")).content.decode()
    assert "Share with everybody" not in text
    assert send(client, "save", shared="on", **form).status_code == 403
    view = a_view(clerk)
    assert send(client, "share", view=view.pk).status_code == 403
    right = Permission.objects.get(codename="share_savedview")
    clerk.user_permissions.add(right)
    send(client, "share", view=view.pk)
    view.refresh_from_db()
    assert view.is_shared


def test_a_view_that_is_no_longer_shared_opens_no_list_of_others(page, client):
    view = a_view(boss(), shared=True)
    clerk = a_clerk("view_item")
    client.force_login(clerk)
    send(client, "open-with", view=view.pk)
    assert DefaultView.objects.filter(user=clerk).exists()
    client.force_login(boss())
    send(client, "unshare", view=view.pk)
    assert not DefaultView.objects.filter(user=clerk).exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"name": "  "}, "Give the view a name."),
        ({"name": "x" * 61}, "The name of a view can have 60 characters."),
        ({"name": "Dear"}, "There is a view “Dear” already; choose another name."),
        (
            {"name": "Long", "query": "q=" + "x" * LONGEST_QUERY},
            "These filters are too long to be saved.",
        ),
    ],
)
def test_what_cannot_be_saved_is_said(page, form, sentence):
    a_view(boss())
    assert sentence in said(send(page, "save", **{"query": "", **form}))


def test_a_person_has_a_limited_number_of_views(page, monkeypatch):
    monkeypatch.setattr(services, "MOST_VIEWS", 1)
    a_view(boss())
    answer = send(page, "save", name="Another")
    assert "You have 1 saved views; delete one first." in said(answer)


def test_a_view_keeps_nothing_but_what_the_list_knows(page):
    form = {"name": "Odd", "query": "price__gte=2&import_key=x&_popup=1&p=3"}
    send(page, "save", **form)
    assert SavedView.objects.get().query == "price__gte=2"


def test_who_may_not_see_a_list_has_no_views_of_it(client):
    client.force_login(a_clerk("view_warehouse"))
    assert send(client, "save", name="X").status_code == 403
    assert client.get(f"{url(Item, 'changelist')}views/").status_code == 405


@pytest.mark.parametrize("action", ["", "nonsense", "delete"])
def test_an_action_that_there_is_not_is_no_crash(page, action):
    assert send(page, action, view="²").status_code == 404


@pytest.mark.counts
def test_views_cost_one_query_however_many_there_are(page):
    def queries():
        with CaptureQueriesContext(connection) as made:
            page.get(url(Item, "changelist"))
        return len(made)

    none = queries()
    for number in range(5):
        a_view(boss(), name=f"View {number}")
    assert queries() == none
