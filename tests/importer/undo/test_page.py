"""The undo of a run on its page, without scripts."""

from __future__ import annotations

import pytest

from tests.builders import edit_row, model_of, row_of, units
from tests.importer import background
from tests.importer.admin_page.conftest import Visitor, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def visitor(admin):
    yield Visitor(admin)
    background.finish_runs()


@pytest.fixture
def done(run):
    return run(units("a", "b"))


def live():
    return model_of("UnitsOfMeasure").objects.live().count()


def test_a_run_is_undone_after_a_look_at_what_would_change(visitor, done, admin):
    edit_row(row_of("UnitsOfMeasure", "a"), actor=admin, name="Mine")
    page = visitor.text(run=done.run_id)
    assert 'value="undo-dry-run"' in page
    assert 'value="undo"' not in page
    planned = visitor.ended(visitor.post("undo-dry-run", run=done.run_id))
    assert (planned.dry_run, live()) == (True, 2)
    page = visitor.text(run=planned.run_id)
    assert "What would undoing corpus.a 1 change?" in page
    assert "Undo now and revert this row" in page
    assert "1 row would be reverted, 1 is kept." in page
    assert "kept: admin changed the row at" in page
    assert str(done.run_id) in page
    undone = visitor.ended(visitor.post("undo", run=done.run_id))
    assert (undone.dry_run, live()) == (False, 1)
    page = visitor.text(run=undone.run_id)
    assert "Undo of corpus.a 1" in page
    assert "1 row was reverted, 1 is kept." in page
    assert str(done.run_id) in page
    page = visitor.text(run=done.run_id)
    assert "Undone by:" in page
    assert str(undone.run_id) in page
    assert "undo-dry-run" not in page
    assert "Undo now" not in visitor.text(run=planned.run_id)
    assert "Undo of" in visitor.text()


def test_outcomes_of_an_undo_are_filters(visitor, done):
    undone = visitor.ended(visitor.post("undo", run=done.run_id))
    page = visitor.text(run=undone.run_id, outcome="Reverted")
    assert "unit:a" in page
    assert "unit:a" not in visitor.text(run=undone.run_id, outcome="Kept")


def test_runs_that_wrote_nothing_offer_no_undo(visitor, run, done):
    assert "undo-dry-run" not in visitor.text(run=run(units("a", "b")).run_id)
    planned = run(units("c"), dry_run=True)
    assert "undo-dry-run" not in visitor.text(run=planned.run_id)


def test_refusals_are_shown_as_sentences(visitor, done):
    visitor.ended(visitor.post("undo", run=done.run_id))
    assert "already" in told(visitor.post("undo", run=done.run_id), 409)
    assert "no run" in told(visitor.post("undo", run="nonsense"), 404)


def test_only_administrators_may_undo(clerk, done):
    other = Visitor(clerk("delete_unitofmeasure"))
    assert other.post("undo", run=done.run_id).status_code == 403
    assert live() == 2


def test_an_undo_that_left_rows_offers_to_undo_the_rest(visitor, done):
    undone = visitor.ended(visitor.post("undo", run=done.run_id))
    assert "Undo the rest" not in visitor.text(run=undone.run_id)
    undone.status = "Interrupted"
    undone.save()
    page = visitor.text(run=undone.run_id)
    assert "Undo the rest" in page
    assert f'name="run" value="{done.run_id}"' in page
    assert 'value="undo-dry-run"' in page
