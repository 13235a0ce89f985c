"""Two people with the same row open: the second is told, and keeps what was typed."""

from __future__ import annotations

import pytest

from platform_site.records import services
from platform_site.records.errors import Stale
from tests.catalogs.rows import a_warehouse, boss, stored
from tests.records.pages import errors, save, shown, url

pytestmark = pytest.mark.django_db


# -- two people at once ----------------------------------------------------------------


def test_a_stale_form_keeps_what_was_typed_and_shows_what_is_stored(page):
    row = a_warehouse(name="Before", address="Old road")
    services.update_record(row=stored(row), data={"name": "By the first"}, actor=boss())
    answer = save(page, row, name="By the second", address="New road")
    found = errors(answer)
    assert "Somebody else changed this row" in found.pop("__all__")[0]
    assert found == {
        "name": ["Stored value: By the first"],
        "address": ["Stored value: Old road"],
    }
    assert shown(answer)["name"] == "By the second"
    assert (stored(row).name, stored(row).address) == ("By the first", "Old road")


def test_a_stale_form_stays_stale_when_it_is_sent_again(page):
    row = a_warehouse(name="Before")
    services.update_record(row=stored(row), data={"name": "First"}, actor=boss())
    answer = save(page, row, name="Second")
    again = page.post(url(row, "change"), shown(answer))
    assert "Somebody else" in errors(again)["__all__"][0]
    assert stored(row).name == "First"


def test_a_stale_form_is_refused_even_if_it_retypes_nothing(page):
    row = a_warehouse(name="Before")
    services.update_record(row=stored(row), data={"name": "First"}, actor=boss())
    assert "__all__" in errors(save(page, row))
    assert stored(row).name == "First"


def test_a_concurrent_change_while_saving_is_a_stale_form(page, monkeypatch):
    row = a_warehouse(name="Before")

    def late(**kwargs):
        raise Stale

    monkeypatch.setattr(services, "update_record", late)
    assert "Somebody else" in errors(save(page, row, name="After"))["__all__"][0]


def test_a_form_of_a_deleted_row_keeps_the_input(page):
    row = a_warehouse(name="Before")
    services.delete_record(row=stored(row), actor=boss())
    answer = save(page, row, name="After")
    assert "Somebody else" in errors(answer)["__all__"][0]
    assert shown(answer)["name"] == "After"
    assert stored(row).name == "Before"


def test_a_deleted_row_is_not_changed_by_a_form_made_up_for_it(page):
    row = a_warehouse(name="Before")
    services.delete_record(row=row, actor=boss())
    save(page, stored(row), name="After")
    assert stored(row).name == "Before"


@pytest.mark.parametrize("version", ["", "x", "0", "9" * 40])
def test_a_form_without_a_usable_version_writes_nothing(page, version):
    row = a_warehouse(name="Before")
    assert errors(save(page, row, name="After", expected_version=version))
    assert stored(row).name == "Before"
