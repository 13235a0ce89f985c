"""Users, a function that runs a package, and dumps of everything a run can write."""

from __future__ import annotations

import copy

import pytest
from django.contrib.auth.models import Permission

from importer import services
from importer.models import ImportRun, PackagePiece, ReportChunk
from importer.runs import execution, history, running
from importer.services import ImportOptions
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from tests.builders import business_models, run_models, stream
from tests.importer import background


@pytest.fixture
def admin(db):
    return User.objects.get(username="admin")


@pytest.fixture
def clerk(db):
    """Return a function that creates a user with some permissions and no more."""

    def create(*codenames, name="clerk"):
        user = create_user(user_name=name, password="a long pass phrase")
        user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
        return User.objects.get(pk=user.pk)

    return create


@pytest.fixture
def run(admin):
    """Return a function that runs a package as the administrator."""

    def import_it(package, *, user=None, cancellation=None, progress=None, **options):
        watched = {} if progress is None else {"progress": progress}
        return services.import_package(
            stream(package),
            ImportOptions(**options),
            user=user or admin,
            cancellation=cancellation,
            **watched,
        )

    return import_it


def _rows(models):
    return {model._meta.db_table: _content(model) for model in models}


def _content(model):
    return sorted(model._base_manager.values_list(), key=lambda row: str(row[0]))


@pytest.fixture
def business(db):
    """Return a function that dumps every business row and every change event."""
    return lambda: _rows(business_models())


@pytest.fixture
def everything(db):
    """Return a function that also dumps the importer's tables, except dry runs."""
    of_real_runs = {"run__dry_run": False}
    kept = {
        ImportRun: {"dry_run": False},
        ReportChunk: of_real_runs,
        PackagePiece: of_real_runs,
    }

    def dump():
        found = _rows([*business_models(), *(set(run_models()) - set(kept))])
        for model, only in kept.items():
            found[model._meta.db_table] = list(model.objects.filter(**only).values())
        return found

    return dump


@pytest.fixture
def gate(monkeypatch):
    """Return a closed gate before every write of a run."""
    with background.gate(monkeypatch) as one:
        yield one


@pytest.fixture
def importer_settings(settings):
    """Return a function that changes settings of the importer."""

    def change(**values):
        settings.IMPORTER = {**copy.deepcopy(settings.IMPORTER), **values}

    return change


@pytest.fixture(autouse=True)
def no_wait_for_the_lock(monkeypatch):
    """Refuse a busy lock at once, because no test releases it."""
    monkeypatch.setattr(execution, "_SECONDS_TO_END", 0)


@pytest.fixture
def no_progress_by_the_clock(monkeypatch):
    """Don't store progress more often on a slow machine, where queries are counted."""
    monkeypatch.setattr(history, "_BETWEEN_WRITES", 3600)


@pytest.fixture
def stored_at_once(monkeypatch):
    """Store progress and check for cancellation before each object."""
    monkeypatch.setattr(running, "_BETWEEN_SAMPLES", 0)
    monkeypatch.setattr(history, "_BETWEEN_WRITES", 0)
