"""What dry runs of packages tell of data processors."""

from __future__ import annotations

import pytest

from documents.processors.recalculate_costs import RecalculateCosts
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.models import ProcessorExecution
from tests.builders import messages, outcomes
from tests.processing.processors import CountWords
from tests.processing.test_steps import counting, known, run
from tests.processing.users import somebody_who_may

pytestmark = pytest.mark.django_db
__all__ = ["known"]


def test_a_dry_run_says_that_only_the_import_executes_a_processor():
    (entry,) = run(counting(), dry_run=True).items
    assert (
        entry.message == "only the import executes this processor; its input is valid"
    )
    (entry,) = run(counting()).items
    assert entry.message == ""
    (entry,) = run(counting(), dry_run=True).items
    assert (entry.outcome, entry.message) == ("Unchanged", "")


def foretelling(self, data, *, user):
    """Say how many words there are; fail as the execution does."""
    if not data["text"]:
        raise InvalidStateError("Nothing to count.")
    return f"counts {len(data['text'].split()) // (0 if data['breaks'] else 1)} words"


def test_a_processor_may_say_in_a_dry_run_what_it_would_do_or_refuse(monkeypatch):
    monkeypatch.setattr(CountWords, "dry_run", foretelling)
    (entry,) = run(counting(text="a b"), dry_run=True).items
    assert (entry.outcome, entry.message) == ("Inserted", "counts 2 words")
    for given in ({"text": ""}, {"breaks": True}):
        planned, done = run(counting(**given), dry_run=True), run(counting(**given))
        assert outcomes(planned) == outcomes(done) == {"count:1": "Failed"}
        assert messages(planned) == messages(done)
    assert not ProcessorExecution.objects.exists()


@pytest.mark.parametrize("dry_run", [True, False])
def test_recalculating_costs_needs_the_right_to_post_in_a_dry_run_too(dry_run):
    user = somebody_who_may(RecalculateCosts)
    package = counting("RecalculateCosts", **{"from": "2026-03-01", "to": "2026-03-31"})
    assert (
        "may not post" in messages(run(package, user=user, dry_run=dry_run))["count:1"]
    )
    (entry,) = run(package, dry_run=True).items
    assert "goods issues from 2026-03-01 to 2026-03-31" in entry.message
