"""A dry run judges posting as the run that follows it, whatever the package moves and
whatever users did before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from tests.drill import effort
from tests.importer.documents.test_laws import entries, said
from tests.importer.laws.warehouse import act, found_a_company, stories
from tests.importer.laws.world import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def founded(run, admin):
    found_a_company(run, admin)


@effort(60)
@given(story=stories())
def test_a_dry_run_judges_posting_as_the_run(run, admin, business, founded, story):
    first, doings, second = story
    with rolled_back():
        before = business()
        planned = run(first, dry_run=True)
        assert business() == before
        done = run(first, continue_on_error=True)
        assert entries(planned) == entries(done)
        act(doings, admin)
        planned = run(second, dry_run=True)
        done = run(second, continue_on_error=True)
        assert entries(planned) == entries(done)
        assert said(planned) == said(done)


@effort(10)
@given(story=stories())
def test_the_size_of_a_window_does_not_matter(run, admin, founded, story):
    first, doings, second = story
    with rolled_back():
        run(first, continue_on_error=True)
        act(doings, admin)
        whole, small = (run(second, dry_run=True, window=size) for size in (1000, 2))
        assert entries(whole) == entries(small)


REFUSALS = {
    "a shortage": "Not enough RICE Item RICE in MAIN Main on",
    "a shortage of a planned item": "Not enough NEW",
    "a currency": "is valued in EUR; a line in USD",
    "a category": "Goods and material have stock, services have none",
    "a bank account": "The currency cannot change while posted documents",
    "a source": "Referenced object 'i",
}


def test_the_examples_cover_every_refusal(run, admin, founded):
    seen, outcomes = Counter(), Counter()

    @effort(60)
    @given(story=stories())
    def play(story):
        first, doings, second = story
        with rolled_back():
            run(first, continue_on_error=True)
            act(doings, admin)
            for one in run(second, dry_run=True).items:
                outcomes[str(one.outcome)] += 1
                seen.update(
                    name for name, text in REFUSALS.items() if text in one.message
                )

    play()
    print(seen, outcomes)  # noqa: T201 - asked for
    assert min(seen[name] for name in REFUSALS) >= 1, (seen, outcomes)
