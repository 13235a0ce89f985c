"""What the tests of the scheduler share: a processor, a clock they move, a user."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from platform_site.accounts.seeding import seed_accounts
from platform_site.processing import registry
from platform_site.scheduling.scheduler import Scheduler
from tests.processing.users import allow, somebody_who_may
from tests.scheduling.jobs import NOON, ImportUnits, MovedClock, Note, ReadFile


@pytest.fixture(autouse=True)
def known():
    with (
        registry.registered(Note),
        registry.registered(ImportUnits),
        registry.registered(ReadFile),
    ):
        yield


@pytest.fixture
def accounts(transactional_db):
    seed_accounts()


@pytest.fixture
def runner(accounts):
    """Return somebody who may execute the processors and write what they write."""
    person = somebody_who_may(Note)
    allow(person, ImportUnits)
    allow(person, ReadFile)
    names = [f"{verb}_{what}" for verb in ("add", "change") for what in WRITTEN]
    person.user_permissions.add(*Permission.objects.filter(codename__in=names))
    return person


WRITTEN = ("constant", "unitofmeasure")


@pytest.fixture
def clock():
    return MovedClock(NOON)


@pytest.fixture
def scheduler(accounts, clock):
    """Return a scheduler that has begun, and runs jobs where the test can see them."""
    scheduler = Scheduler(clock, spawn=lambda name, work: work())
    scheduler.poll()
    yield scheduler
    scheduler._lock.release()
