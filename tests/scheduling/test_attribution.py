"""In whose name a job writes what is not its processor's doing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from platform_site.changes.models import ChangeEvent
from platform_site.scheduling import execution
from platform_site.scheduling.services import update_job
from tests.scheduling.jobs import a_job, last, turn

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_change_of_the_scheduler_itself_names_its_account(
    scheduler, clock, runner, monkeypatch
):
    """HOST-090: whoever the job runs as."""
    job = a_job(runner)

    def switch_off(*_arguments, **_options):
        job.enabled = False
        update_job(job=job)
        return SimpleNamespace(result={})

    monkeypatch.setattr(execution, "execute", switch_off)
    clock.move(hours=1)
    turn(scheduler)
    assert last(job).status == "Completed"
    event = ChangeEvent.objects.latest("pk")
    assert (event.model, event.action) == ("Jobs", "updated")
    assert (event.user_name, event.origin) == ("jobs-scheduler", "Scheduled job")
