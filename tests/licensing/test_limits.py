"""Numbers against limits: the last one allowed, the first one refused, in which words."""

from __future__ import annotations

from functools import partial

import pytest

from licensing.limits import (
    FREE,
    LicenceLimits,
    describe,
    judge_documents,
    judge_lines,
    judge_users,
)

judge_one = partial(judge_lines, document="SO-1")
NONE = LicenceLimits(users=None, documents_per_month=None, lines_per_document=None)


def test_free_is_five_users_a_thousand_documents_and_two_hundred_lines():
    numbers = (FREE.users, FREE.documents_per_month, FREE.lines_per_document)
    assert numbers == (5, 1000, 200)


@pytest.mark.parametrize(
    ("judge", "last", "words"),
    [
        (judge_users, 5, ["5 users", "6 would"]),
        (judge_documents, 1000, ["1,000 documents a month", "1,001 would"]),
        (judge_one, 200, ["200 lines in a document", "SO-1 would have 201"]),
    ],
)
def test_the_limit_itself_is_allowed_and_one_more_is_not(judge, last, words):
    """HOST-166."""
    assert judge(FREE, last) is None
    sentence = judge(FREE, last + 1)
    assert all(word in sentence for word in words)
    assert sentence.endswith(".")


@pytest.mark.parametrize("judge", [judge_users, judge_documents, judge_one])
def test_without_a_limit_every_number_is_allowed(judge):
    assert judge(NONE, 10**9) is None


def test_each_number_is_judged_by_its_own_limit():
    limits = LicenceLimits(users=None, documents_per_month=1, lines_per_document=None)
    assert judge_users(limits, 2) is None
    assert judge_one(limits, 2) is None
    assert "1 document a month" in judge_documents(limits, 2)


def test_limits_are_described_as_text():
    assert describe(FREE) == "5 users, 1,000 documents a month, 200 lines in a document"
    assert describe(NONE).startswith("any number of users, any number of documents")
