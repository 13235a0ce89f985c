"""The suggestions for unknown words."""

from __future__ import annotations

import pytest

from importer.package.suggestions import closest, did_you_mean, near

PROPERTIES = ["code", "name", "price", "asOf", "unitOfMeasureId", "isFolder"]


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("dictionry", ["dictionary", "document", "items"], "dictionary"),
        ("prise", PROPERTIES, "price"),
        ("PRICE", PROPERTIES, "price"),
        ("as_of", PROPERTIES, "asOf"),
        (" pcs ", ["PCS", "kg"], "PCS"),
        ("$tody", ["$now", "$today", "$today±Nd"], "$today"),
        ("updat", ["update", "skip"], "update"),
        ("Price", ["prise", "price"], "price"),
        ("good", ["service", "goods", "material"], "goods"),
    ],
)
def test_the_most_similar_word_is_suggested(word, known, meant):
    assert closest(word, known) == meant
    assert closest(word, reversed(known)) == meant
    assert did_you_mean(word, known) == f'; did you mean "{meant}"?'
    assert did_you_mean(word, known, sentence=True) == f' Did you mean "{meant}"?'


@pytest.mark.parametrize("word", ["colour", "", "$", "p" * 300, 7, None, ["price"]])
def test_without_a_similar_word_there_is_no_suggestion(word):
    assert closest(word, PROPERTIES) is None
    assert did_you_mean(word, PROPERTIES) == ""


def test_of_very_many_words_only_similar_ones_are_compared():
    many = [*(f"item:{n}" for n in range(50_000)), "folder:tools"]
    few = near("folder:tolls", many)
    assert few == ["folder:tools"]
    assert did_you_mean("folder:tolls", few) == '; did you mean "folder:tools"?'


def test_another_number_is_not_a_misspelling():
    assert closest("item-103", ["item-102", "item-113"]) is None
    assert closest("itm-102", ["item-102", "item-103"]) == "item-102"


def test_the_suggestion_does_not_depend_on_the_order_of_the_known_words():
    assert closest("uni", {"unit", "unix"}) == closest("uni", ["unix", "unit"])
