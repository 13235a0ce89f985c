"""Properties of exports that hold whatever was imported and changed before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, note, strategies as st

from importer import services
from tests.drill import effort
from tests.importer.exports.exporting import exported, leave_nothing
from tests.importer.laws import trade, warehouse
from tests.importer.laws.stories import stories
from tests.importer.laws.world import rolled_back, set_up

pytestmark = pytest.mark.django_db
NOTHING_CHANGES = {"Unchanged", "Adopted"}


@st.composite
def parts(draw):
    """Draw the catalogs and documents of an export; none stands for all."""
    names = [*services.exportable()]
    return draw(st.sampled_from([(), (), ("Items",), tuple(names[::-2])]))


def outcomes(run, content, **options):
    """Return how often a run of an export has each outcome."""
    report = run(content, **options)
    note("\n".join(f"{one.id} {one.outcome} {one.message}" for one in report.items))
    note("\n".join(d.message for d in report.diagnostics))
    assert not report.has_errors
    return Counter(str(one.outcome) for one in report.items)


def assert_it_comes_back(run, names):
    """An import of an export changes nothing here, and makes the same rows there."""
    content = exported(*names)
    note(content.decode())
    assert outcomes(run, content, dry_run=True).keys() <= NOTHING_CHANGES
    assert outcomes(run, content).keys() <= NOTHING_CHANGES
    assert outcomes(run, content, dry_run=True).keys() <= {"Unchanged"}
    assert exported(*names) == content
    if names:
        return
    leave_nothing()
    assert outcomes(run, content).keys() <= {"Inserted"}
    assert exported() == content


@effort(15)
@given(story=stories(), names=parts())
def test_catalogs_come_back_as_they_were(run, admin, story, names):
    with rolled_back():
        set_up(story, admin)
        assert_it_comes_back(run, names)


@effort(10)
@given(story=trade.packages_and_acts(), names=parts())
def test_documents_come_back_as_they_were(run, admin, story, names):
    with rolled_back():
        trade.stock(run, admin)
        first, doings = story
        run(first, continue_on_error=True)
        trade.act(doings, admin)
        assert_it_comes_back(run, names)


@effort(10)
@given(story=warehouse.stories(), names=parts())
def test_posted_documents_come_back_posted(run, admin, story, names):
    with rolled_back():
        warehouse.found_a_company(run, admin)
        first, doings, _second = story
        run(first, continue_on_error=True)
        warehouse.act(doings, admin)
        assert_it_comes_back(run, names)
