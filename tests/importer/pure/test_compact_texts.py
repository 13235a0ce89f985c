"""Texts in a buffer, with a list and a dictionary as their oracle."""

from __future__ import annotations

from hypothesis import given, strategies as st

from importer.pipeline.compact_texts import CompactTexts
from importer.pipeline.overlay import Holders
from tests.drill import effort

MANY = 5000
words = st.one_of(st.sampled_from(["", "a", "b", "ä", "€uro", "b" * 300]), st.text())
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=4) | words
entries = st.lists(st.tuples(texts, st.booleans()), max_size=30)


def check(made, expected):
    """Compare texts with what was added: (text, named)."""
    listed = [text for text, _ in expected]
    numbers = {}
    for number, (text, named) in enumerate(expected):
        if named:
            numbers.setdefault(text, number)
    assert len(made) == len(listed)
    assert made == listed
    assert made.numbers == numbers
    assert list(made.numbers) == list(numbers)
    assert made[2:7] == listed[2:7]
    assert [made.number(text) for text in listed] == [*map(numbers.get, listed)]


@effort(150)
@given(kept=entries, forgotten=entries, after=entries)
def test_texts_are_found_by_number_and_back(kept, forgotten, after):
    made, seen = CompactTexts(), []
    for text, named in [*kept, *forgotten]:
        doubled = named and (text, True) in seen
        assert made.append(text, named=named) is doubled
        seen.append((text, named))
    check(made, [*kept, *forgotten])
    made.forget_from(len(kept))
    for text, named in after:
        made.append(text, named=named)
    check(made, [*kept, *after])


def test_many_texts_are_found_after_each_growth_and_removal():
    made = CompactTexts()
    # Every seventh isn't named, every eleventh is an earlier one again.
    all_of_them = [
        (f"item:{number // 11 if number % 11 == 0 else number}", number % 7 != 0)
        for number in range(MANY)
    ]
    for text, named in all_of_them:
        made.append(text, named=named)
    check(made, all_of_them)
    made.forget_from(MANY // 3)
    check(made, all_of_them[: MANY // 3])
    assert made.number(f"item:{MANY - 1}") is None


def test_the_last_row_that_took_a_value_holds_it():
    holders, far = Holders(), 9 * 10**17
    for value, row in [("A", -1), (7, -2), ("B", -3), ("A", -4), (7, far), ("D", far)]:
        holders.note(value, row)
    assert dict(holders.items()) == {"A": -4, "B": -3, "D": far, 7: far}
    found = [holders.get(value) for value in ("A", "B", 7, "C", 8, "D")]
    assert found == [-4, -3, far, None, None, far]
