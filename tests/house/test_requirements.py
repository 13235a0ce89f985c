"""The page of requirements explains every number that the project cites, and names the
tests that hold it."""

from __future__ import annotations

from tests.house.requirements import (
    PAGE,
    cited,
    numbers_in,
    render,
    sentences,
    untested,
)


def explained():
    return {number for group in sentences().values() for number in group}


def test_the_page_is_current():
    again = "Run `make requirements` to write it anew."
    assert PAGE.read_text(encoding="utf-8") == render(), again


def test_every_number_that_is_cited_has_a_sentence():
    assert sorted(cited() - explained()) == []


def test_every_sentence_is_cited():
    assert sorted(explained() - cited()) == []


def test_no_two_numbers_have_the_same_sentence():
    said = [sentence for group in sentences().values() for sentence in group.values()]
    assert len(said) == len(set(said))


def test_every_requirement_of_hosting_is_cited_by_a_test():
    assert [number for number in untested() if number.startswith("HOST")] == []


def test_numbers_are_read_singly_and_in_ranges():
    text = "HOST-{}, IMP-{} to IMP-{}, OPEN-{}..21".format("009", "172", "174", 19)
    assert list(numbers_in(text)) == [
        f"{kind}-{number}"
        for kind, number in [
            ("HOST", "009"),
            ("IMP", "172"),
            ("IMP", "173"),
            ("IMP", "174"),
            ("OPEN", "19"),
            ("OPEN", "20"),
            ("OPEN", "21"),
        ]
    ]
