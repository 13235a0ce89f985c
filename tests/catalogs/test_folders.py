"""The folders above a list: navigation, contents and queries."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogs.folders import MAX_INSIDE, path_to
from catalogs.models import Account, Item, UnitOfMeasure
from platform_site.records.services import delete_record
from tests.catalogs.rows import a_folder, a_row, a_unit, an_item, boss
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def opened(page, model=Item, **query):
    answer = page.get(url(model, "changelist", **query))
    assert answer.status_code == 200, answer
    return answer


def path(answer):
    return [place.name for place in answer.context["folders"].path]


def inside(answer):
    return {place.name: place.count for place in answer.context["folders"].inside}


def follow(page, answer, name):
    """Follow the link of a folder by its name."""
    folders = answer.context["folders"]
    (place,) = [p for p in [*folders.path, *folders.inside] if p.name == name]
    return page.get(url(Item, "changelist") + place.query)


@pytest.fixture
def food(db):
    """Return the folders Food > Rice > Basmati with one item in each, and an item
    outside."""
    food = a_folder(code="F", name="Food")
    rice = a_folder(code="R", name="Rice", parentId=food.pk)
    basmati = a_folder(code="B", name="Basmati", parentId=rice.pk)
    unit = a_unit().pk
    for folder in (food, rice, basmati):
        an_item(code=f"in {folder.name}", parentId=folder.pk, unitOfMeasureId=unit)
    an_item(code="outside", unitOfMeasureId=unit)
    return food


def test_links_lead_down_and_up_the_folders(page, food):
    shown = opened(page)
    assert (path(shown), inside(shown)) == (["All"], {"Food": 2})
    shown = follow(page, shown, "Food")
    assert (path(shown), inside(shown)) == (["All", "Top level", "Food"], {"Rice": 2})
    shown = follow(page, follow(page, shown, "Rice"), "Basmati")
    assert path(shown) == ["All", "Top level", "Food", "Rice", "Basmati"]
    assert [row.code for row in shown.context["cl"].result_list] == ["in Basmati"]
    assert 'aria-current="location">Basmati</strong>' in shown.text
    shown = follow(page, shown, "Top level")
    codes = [row.code for row in shown.context["cl"].result_list]
    assert codes == ["F", "outside"]


def test_a_search_in_a_folder_can_be_extended_to_all(page, food):
    shown = opened(page, folder=food.pk, q="in")
    assert [row.code for row in shown.context["cl"].result_list] == ["in Food"]
    assert "Search everywhere" in shown.text
    everywhere = follow(page, shown, "All")
    codes = {row.code for row in everywhere.context["cl"].result_list}
    assert codes >= {"in Food", "in Rice", "in Basmati"}
    assert follow(page, shown, "Rice").context["cl"].query == ""


def test_a_search_everywhere_shows_only_its_results(page, food):
    assert '<nav class="folders"' not in opened(page, q="in").text


def test_deleted_rows_are_counted_where_deleted_rows_are_shown(page, food):
    a_folder(code="E", name="Empty")
    delete_record(row=Item.objects.get(code="in Food"), actor=boss())
    assert inside(opened(page)) == {"Food": 1, "Empty": 0}
    shown = opened(page, deleted="yes")
    assert inside(shown) == {"Food": 1}
    shown = follow(page, shown, "Food")
    assert [row.code for row in shown.context["cl"].result_list] == ["in Food"]


def test_names_of_folders_are_escaped(page):
    a_folder(name="<script>alert(1)</script>")
    text = opened(page).text
    assert "<script>alert(1)</script>" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_folders_beyond_the_limit_are_counted(page):
    for number in range(MAX_INSIDE + 1):
        a_folder(code=f"F{number:03}")
    shown = opened(page)
    assert len(inside(shown)) == MAX_INSIDE
    assert "There are more folders here" in shown.text


def test_a_list_without_folders_shows_none(page):
    an_item()
    assert '<nav class="folders"' not in opened(page).text
    assert '<nav class="folders"' not in opened(page, UnitOfMeasure).text


def test_accounts_have_folders_too(page):
    a_row(Account, name="Assets", isFolder=True)
    assert inside(opened(page, Account)) == {"Assets": 0}


def test_the_path_is_found_at_any_depth(db):
    folder = a_folder(name="1")
    for number in range(2, 21):
        folder = a_folder(name=str(number), parentId=folder.pk)
    names = [one.name for one in path_to(Item._base_manager, folder.pk)]
    assert names == [str(number) for number in range(1, 21)]


def test_a_circle_of_folders_in_the_database_ends(db):
    top = a_folder(name="top")
    low = a_folder(name="low", parentId=top.pk)
    with connection.cursor() as cursor:
        table = Item._meta.db_table
        cursor.execute(
            f"UPDATE {table} SET parent_id = %s WHERE id = %s", [low.pk, top.pk]
        )
    assert {one.name for one in path_to(Item._base_manager, low.pk)} == {"top", "low"}


@pytest.mark.counts
def test_folders_take_two_queries_however_many_there_are(page, food):
    deepest = Item.objects.get(code="B")

    def queries(**query):
        with CaptureQueriesContext(connection) as made:
            opened(page, **query)
        return len(made)

    queries()
    plain, inner = queries(), queries(folder=deepest.pk)
    assert inner == plain + 1
    for _ in range(30):
        a_folder(parentId=deepest.pk)
    assert queries(folder=deepest.pk) == inner
