"""A process that creates orders in the test database: ``python -m
tests.documents.writer <database> <count> <data as JSON>``."""

from __future__ import annotations

import json
import sys

import django
from django.conf import settings


def main(database, count, data):
    """Create a number of orders."""
    settings.DATABASES["default"]["NAME"] = database
    django.setup()
    create(int(count), json.loads(data))


def create(count, data):
    """Create a number of orders as the superuser."""
    # Only once Django is set up there are models.
    from documents.models import SalesOrder  # noqa: PLC0415
    from platform_site.records.services import create_record  # noqa: PLC0415
    from tests.catalogs.rows import boss  # noqa: PLC0415

    actor = boss()
    for _ in range(count):
        create_record(model=SalesOrder, data=data, actor=actor)


if __name__ == "__main__":
    main(*sys.argv[1:])
