"""The page of results, strange input, and sources of other apps."""

from __future__ import annotations

import pytest

from platform_site import search_sources
from platform_site.search_sources import Hit, Hits, Rank
from tests.catalogs.rows import an_item
from tests.site.search.searcher import TYPING, seen

pytestmark = pytest.mark.django_db


def test_the_page_of_results_works_without_scripts(admin):
    an_item(code="B1", name="Copper pipe")
    answer = admin.answer("copper")
    assert "1 result" in seen(answer)
    assert "B1 Copper pipe" in seen(answer)
    assert 'value="copper"' in answer.content.decode()
    assert "Find rows by code" in seen(admin.answer(""))


def test_nothing_found_is_said_with_a_way_on(admin):
    for headers in (TYPING, {}):
        said = seen(admin.answer("there is no such thing", **headers))
        assert "Nothing found for “there is no such thing”." in said
        assert "another word of the name" in said


@pytest.mark.parametrize(
    "typed",
    ["\0", "a\0b", "\x1b\u202e", "'", '"', "%", "_", "\\", "%%%", "x" * 10_000, "a " * 2000,
     "\ud7ff\U0010ffff", "-", "()", "[[[", "ß" * 200, "<script>", "9" * 300],
)  # fmt: skip
def test_strange_input_is_answered(admin, typed):
    for headers in (TYPING, {}):
        admin.answer(typed, **headers)


def test_signs_of_patterns_mean_themselves(admin):
    an_item(code="B1", name="100% cotton")
    an_item(code="B2", name="1000 cotton")
    assert admin.groups("100% cot")["Items"] == ["B1"]


def test_a_source_that_fails_hides_no_other(admin, monkeypatch, caplog):
    def fails(search):
        raise LookupError

    everyone = (fails, lambda user: True)
    monkeypatch.setattr(
        search_sources, "_sources", [everyone, *search_sources._sources]
    )
    an_item(code="B1", name="Copper pipe")
    assert admin.groups("copper")["Items"] == ["B1"]
    assert "A part of the search failed" in caplog.text
    assert "copper" not in caplog.text


def test_an_app_of_ones_own_adds_results(admin, monkeypatch):
    def bins(search):
        yield Hits("Bins", "boxes", [Hit(Rank.EXACT, "Bin 7", "/admin/bins/7/")])

    everyone = (bins, lambda user: True)
    monkeypatch.setattr(search_sources, "_sources", [everyone])
    assert "Bins Bin 7" in admin.types("bin")
