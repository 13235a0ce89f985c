"""The page of a run that waits for its turn."""

from __future__ import annotations

import pytest

from importer.models import ImportRun
from importer.services import ImportOptions, start_run
from tests.builders import stream, units
from tests.importer import background

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_queued_run_shows_its_position_and_can_be_cancelled(visitor, admin, gate):
    start_run(stream(units("first")), ImportOptions(), user=admin)
    gate.wait_for_a_run()
    waiting = start_run(stream(units("a")), ImportOptions(), user=admin, queue=True)
    text = visitor.text(run=waiting)
    assert "waiting for its turn: position 1" in text
    assert f"import/progress?run={waiting}" in text
    assert visitor.post("cancel", run=waiting).status_code == 302
    assert ImportRun.objects.get(pk=waiting).status == "Interrupted"
    assert "Interrupted" in visitor.text(run=waiting)
    gate.open()
    background.finish_queued_runs()
