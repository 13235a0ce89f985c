"""Execution of random examples on the database: create rows, run packages, apply user
changes, dump everything.

Every example runs inside a savepoint that is rolled back.
"""

from __future__ import annotations

import io
from contextlib import contextmanager

import msgspec
from django.db import transaction

from catalogs import models
from importer.services import ImportOptions, import_package
from platform_site.changes.models import ChangeEvent
from platform_site.records.errors import Refusal
from platform_site.records.services import (
    create_record,
    delete_record,
    restore_record,
    update_record,
)
from tests.importer.laws.stories import ACCOUNTS, CURRENCIES, ITEMS, UNITS

MODELS = {
    model.catalog_name: model
    for model in (
        models.UnitOfMeasure,
        models.Item,
        models.Currency,
        models.BankAccount,
        models.Counterparty,
    )
}
_encode = msgspec.json.Encoder(decimal_format="number").encode
SOURCE = "tests.laws"


@contextmanager
def rolled_back():
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def package_of(steps):
    header = {
        "format": "platform-import/1",
        "package": SOURCE,
        "version": 1,
        "origin": "import",
        "configuration": "Trade",
    }
    return _encode({**header, "steps": steps})


def run(steps, user, **options):
    options.setdefault("continue_on_error", True)
    stream = io.BytesIO(package_of(steps))
    return import_package(stream, ImportOptions(**options), user=user)


def set_up(story, user):
    """Execute an example up to its second package."""
    always = [((target, "a"), "Always", True) for target in (UNITS, ITEMS, CURRENCIES)]
    for (target, identifier), name, folder in [*always, *story.user_rows]:
        data = {"code": identifier.upper(), "name": name}
        if target == ITEMS:
            data["isFolder"] = folder
            if not folder:
                unit = models.UnitOfMeasure.objects.live().first()
                if unit is None:
                    continue
                data |= {"category": "goods", "unitOfMeasureId": unit.pk, "price": 3}
        elif target == ACCOUNTS:
            continue
        elif target == CURRENCIES:
            data["minorUnits"] = 2
        quietly(create_record, model=MODELS[target], data=data, actor=user)
    run(story.first, user)
    for deed, (target, identifier), code in story.deeds:
        act(deed, MODELS[target], identifier, code, user)


def quietly(service, **what):
    """Try a user's action and ignore a refusal by the services."""
    try:
        return service(**what)
    except Refusal:
        return None


def act(deed, model, identifier, code, user):
    row = model._base_manager.filter(import_key=identifier).first()
    row = row or model.objects.filter(code=identifier.upper()).first()
    if row is None:
        return
    if deed == "delete":
        quietly(delete_record, row=row, actor=user)
    elif deed == "restore":
        if row.is_deleted:
            quietly(restore_record, row=row, actor=user)
    elif not row.is_deleted:
        data = {"rename": {"name": "By hand"}, "recode": {"code": code}, "touch": {}}
        # What a varied object says, more often than not.
        data["agree"] = {"name": "West"}
        if deed == "move":
            if model is not models.Item:
                return
            folder = models.Item.objects.live().filter(is_folder=True, code=code)
            data["move"] = {"parentId": getattr(folder.first(), "pk", None)}
        quietly(update_record, row=row, data=data[deed], actor=user)


def told(report):
    """Return the entries of a report and its diagnostics."""
    items = [
        (one.id, one.outcome.value, one.message, _names(one.differences))
        for one in report.items
    ]
    return items, [(d.severity.value, d.path, d.message) for d in report.diagnostics]


def _names(differences):
    """Return the names of differing properties; keys of planned rows are unknown."""
    return None if differences is None else sorted(differences)


def tables():
    """Return every column of every business row, and the number of events."""
    rows = {
        name: list(model._base_manager.order_by("pk").values())
        for name, model in MODELS.items()
    }
    return rows, ChangeEvent.objects.count()


# What differs between two runs although both did the same.
_OWN = {"id", "created", "modified", "import_imported_at"}


def contents():
    """Return every row by its contents, without keys and times."""
    return {name: _contents(model) for name, model in MODELS.items()}


def _contents(model):
    found = []
    for row in model._base_manager.all():
        values = {}
        for field in model._meta.concrete_fields:
            if field.name in _OWN:
                continue
            value = getattr(row, field.name)
            if field.is_relation and value is not None:
                value = (value.code, value.import_key, value.is_deleted)
            values[field.name] = value
        values["by user"] = row.is_modified_after_import
        found.append(values)
    return sorted(found, key=repr)
