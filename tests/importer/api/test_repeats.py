"""The run that an Idempotency-Key stands for."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from importer.api.repeats import HEADER, run_of
from importer.models import ImportRun
from tests.builders import units

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("dry_run", [False, True], ids=["import", "dry run"])
def test_a_key_means_its_run_for_a_day_and_then_a_new_one(run, admin, dry_run):
    request = SimpleNamespace(headers={HEADER: "k"}, user=admin)
    run_id, began = run_of(request)
    assert not began
    run(units("a"), run_id=run_id, dry_run=dry_run)
    assert run_of(request) == (run_id, True)
    long_ago = timezone.now() - timedelta(hours=24, minutes=1)
    ImportRun.objects.update(started_at=long_ago, finished_at=long_ago)
    run_id, began = run_of(request)
    assert not began
    run(units("a"), run_id=run_id, dry_run=dry_run)
    assert run_of(request) == (run_id, True)
