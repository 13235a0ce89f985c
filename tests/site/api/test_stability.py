"""What programs rely on stays: no published operation, code or other word is gone, and new
ones are published in the list."""

from __future__ import annotations

import pytest

from platform_site.settings.apps import added_labels
from tests.site.api.frozen import published, words

LISTED = published()


@pytest.fixture
def found(client):
    return words(client.get("/swagger/v1/swagger.json").json())


@pytest.mark.parametrize("kind", LISTED)
def test_no_published_word_is_gone(found, kind):
    """Whoever removes one breaks programs; docs/api-stability.md says how things end."""
    assert set(LISTED[kind]) - set(found.get(kind, ())) == set()


@pytest.mark.skipif(bool(added_labels()), reason="Apps of one's own add words.")
def test_every_word_of_the_product_is_published(found):
    new = {
        (kind, word)
        for kind, listed in found.items()
        for word in listed
        if word not in LISTED.get(kind, ())
    }
    assert new == set(), "Run: make words"


def test_the_outcomes_states_and_codes_are_among_them():
    assert "SkippedUserModified" in LISTED["ImportEntryOutcomeEnum"]
    assert "Interrupted" in LISTED["RunStatus"]
    assert "row-in-use" in LISTED["problems"]
    assert len(LISTED["operations"]) > 100
