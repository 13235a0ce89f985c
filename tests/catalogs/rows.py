"""Builders of catalog rows for tests. Each uses the services and fills in what the test
doesn't set."""

from __future__ import annotations

import itertools

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission

from catalogs import models
from platform_site.changes.models import ChangeEvent
from platform_site.records.services import create_record

_numbers = itertools.count(1)


def boss():
    """Return a superuser."""
    users = get_user_model().objects
    return users.filter(username="boss").first() or users.create_superuser("boss")


def a_clerk(*rights):
    """Return a user of the administration with only these rights."""
    clerk = get_user_model().objects.create_user(
        f"clerk{next(_numbers)}", is_staff=True
    )
    clerk.user_permissions.set(
        Permission.objects.filter(
            codename__in=rights, content_type__app_label="catalogs"
        )
    )
    return clerk


def a_row(model, **values):
    code = f"C{next(_numbers)}"
    data = {"code": code, "name": f"Row {code}", **values}
    return create_record(model=model, data=data, actor=boss())


def a_unit(**values):
    return a_row(models.UnitOfMeasure, **values)


def a_folder(**values):
    return a_row(models.Item, isFolder=True, **values)


def an_item(**values):
    if "unitOfMeasureId" not in values:
        values["unitOfMeasureId"] = a_unit().pk
    return a_row(models.Item, isFolder=False, **{"category": "goods", **values})


def a_warehouse(**values):
    return a_row(models.Warehouse, **values)


def stored(row):
    """Return the row as stored in the database."""
    return type(row)._base_manager.get(pk=row.pk)


def events(row, **wanted):
    """Return the change events of a row, newest first."""
    return ChangeEvent.objects.filter(model=row.catalog_name, row_id=row.pk, **wanted)
