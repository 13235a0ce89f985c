"""Users, a way to run a package, and a look at everything a run could have written."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from importer import services
from importer.services import ImportOptions
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from tests.builders import business_models, run_models, stream


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
    """Return a function that dumps the importer's own tables as well."""
    return lambda: _rows([*business_models(), *run_models()])
