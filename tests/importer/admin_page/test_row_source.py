"""The page *Source* of a row: the package and run it comes from, who changed it since,
and the decision about values that its newest import kept."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from platform_site.changes.services import ChangeOrigin, acting_as
from tests.builders import code, edit_row, row_of, units
from tests.catalogs.rows import a_clerk, a_warehouse
from tests.importer.admin_page.conftest import Visitor
from tests.records.pages import links, text, url

pytestmark = pytest.mark.django_db(transaction=True)


def goods(**prices):
    package = units("pcs").with_step("Items")
    for name, price in prices.items():
        package.goods(f"item:{name}", name, code("pcs"), price=price)
    return package


@pytest.fixture
def page(admin):
    client = Client()
    client.force_login(admin)
    return client


def source(page, name):
    return page.get(url(row_of("Items", name), "source"))


def test_an_imported_row_names_its_package_and_run(page, run):
    done = run(goods(A="1"))
    answer = source(page, "A")
    assert "Package corpus" in text(answer)
    assert "Key ($id) item:A" in text(answer)
    assert "Modified after import no" in text(answer)
    report = f"/admin/import?run={done.run_id}"
    assert links(answer)["Report of the run"] == report
    assert links(answer)["See what an undo would do"] == report


def test_a_changed_row_says_who_changed_it(page, run, admin):
    run(goods(A="1"))
    with acting_as(admin, ChangeOrigin.USER):
        edit_row(row_of("Items", "A"), actor=admin, price="7")
    shown = text(source(page, "A"))
    assert re.search(r"Modified after import yes · [^·]* · admin · User", shown)


def test_a_row_of_a_person_names_the_person_and_no_package(page, admin):
    with acting_as(admin, ChangeOrigin.API_KEY):
        row = a_warehouse()
    shown = text(page.get(url(row, "source")))
    assert "admin · API key" in shown
    assert "No package has this row" in shown


def test_kept_values_are_shown_beside_those_of_the_package(page, run, admin):
    run(goods(A="1"))
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    run(goods(A="2"))
    answer = source(page, "A")
    assert "Property Here In the package Price 7.00 2.00" in text(answer)
    assert "Take the values of the package" in text(answer)


def test_the_decision_takes_the_values_of_the_package(page, run, admin):
    run(goods(A="1", B="1"))
    for name in "AB":
        edit_row(row_of("Items", name), actor=admin, price="7")
    kept = run(goods(A="2", B="2"))
    fields = {"run": kept.run_id, "item": "item:A"}
    assert f'name="run" value="{kept.run_id}"' in source(page, "A").content.decode()
    assert 'name="item" value="item:A"' in source(page, "A").content.decode()
    visitor = Visitor(admin)
    visitor.ended(visitor.post("take-package", **fields))
    assert row_of("Items", "A").price == 2
    assert row_of("Items", "B").price == 7
    assert "Take the values" not in text(source(page, "A"))
    assert "Take the values" in text(source(page, "B"))


def test_a_decided_row_says_that_it_stays(page, run, admin):
    run(goods(A="1"))
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    kept = run(goods(A="2"))
    Visitor(admin).post("take-mine", run=kept.run_id, item="item:A")
    shown = text(source(page, "A"))
    assert "It is decided that this row stays as it is" in shown
    assert "Take the values" not in shown


def test_people_who_may_not_import_see_no_report_and_decide_nothing(run, admin):
    run(goods(A="1"))
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    run(goods(A="2"))
    client = Client()
    client.force_login(a_clerk("view_item"))
    answer = source(client, "A")
    assert "Package corpus" in text(answer)
    assert "Take the values" not in text(answer)
    assert "Report of the run" not in links(answer)
