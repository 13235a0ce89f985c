"""What is due during a maintenance is skipped; what is due after it runs."""

from __future__ import annotations

import pytest

from platform_site.maintenance import begin_maintenance, end_maintenance
from tests.scheduling.jobs import a_job, executions, turn

pytestmark = pytest.mark.django_db(transaction=True)


def test_jobs_wait_for_the_end_of_a_maintenance(
    scheduler, clock, runner, settings, tmp_path
):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    (tmp_path / "db").mkdir()
    job = a_job(runner, interval_seconds=600)
    begin_maintenance("", None)
    for _minute in range(15):
        clock.move(minutes=1)
        turn(scheduler)
    assert executions(job) == []
    end_maintenance()
    for _minute in range(10):
        clock.move(minutes=1)
        turn(scheduler)
    assert executions(job) == [(20, "Completed")]
