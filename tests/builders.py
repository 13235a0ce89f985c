"""Build packages and rows in words: the tests say what they need, these functions turn
it into bytes for the importer and calls of the services."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
from django.apps import apps
from django.db import models, transaction

from documents.models import DocumentReservation, RegisterGeneration
from importer import registry
from platform_site.changes.models import ChangeEvent, FormerMark
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.processing.models import ProcessorExecution
from platform_site.records import services
from platform_site.records.models import Record

_encode = msgspec.json.Encoder(decimal_format="number").encode


def ref(identifier):
    """Point to an earlier object of the same package."""
    return {"$ref": identifier}


def code(text):
    """Point to an existing row by its code."""
    return {"$code": text}


class Package:
    """A package that grows from step to step and from item to item."""

    def __init__(self, identifier, **header):
        self.header = {
            "format": "platform-import/1",
            "package": identifier,
            "version": 1,
            "origin": "import",
            "configuration": "Trade",
            **header,
        }
        self.steps = []

    def with_step(self, catalog, **keys):
        """Begin a step; the items that follow are its own."""
        self.steps.append({"dictionary": catalog, **keys, "items": []})
        return self

    def documents(self, kind, **keys):
        """Begin a step of documents; the items that follow are its own."""
        self.steps.append({"document": kind, **keys, "items": []})
        return self

    def created(self, kind, source, **keys):
        """Begin a step of documents created from those of another kind."""
        return self.documents(kind, createFrom=source, **keys)

    def executions(self, processor, **keys):
        """Begin a step of executions of a data processor."""
        self.steps.append({"dataProcessor": processor, **keys, "items": []})
        return self

    def item(self, identifier, **properties):
        """Add an object to the step that was begun last."""
        return self.raw_item({"$id": identifier, **properties})

    def raw_item(self, item):
        """Add an object exactly as given, be it right or wrong."""
        self.steps[-1]["items"].append(item)
        return self

    # What most tests need, with the properties they do not care about filled in.

    def unit(self, identifier, code, **properties):
        """Add a unit of measure."""
        return self.item(identifier, **{"code": code, "name": code, **properties})

    def folder(self, identifier, code, **properties):
        """Add a folder."""
        plain = {"isFolder": True, "code": code, "name": f"Folder {code}"}
        return self.item(identifier, **{**plain, **properties})

    def goods(self, identifier, code, unit, **properties):
        """Add an item of goods; ``unit`` is a reference."""
        plain = {
            "isFolder": False,
            "code": code,
            "name": f"Item {code}",
            "category": "goods",
            "unitOfMeasureId": unit,
        }
        return self.item(identifier, **{**plain, **properties})

    def as_dict(self):
        """Return the package as Python values."""
        return {**self.header, "steps": self.steps}

    def as_bytes(self):
        """Return the package as the bytes of its file."""
        return _encode(self.as_dict())

    def as_file(self, path):
        """Write the package into a file and return its path."""
        Path(path).write_bytes(self.as_bytes())
        return Path(path)


def a_package(identifier="corpus.a", **header):
    """Begin a package."""
    return Package(identifier, **header)


def units(*codes, package="corpus.a", **keys):
    """Return a package of nothing but units, ``unit:<code>`` for each code."""
    built = a_package(package).with_step("UnitsOfMeasure", **keys)
    for each in codes:
        built.unit(f"unit:{each}", each)
    return built


def stream(package):
    """Return a package, built or as bytes, as the stream the importer reads."""
    return io.BytesIO(package if isinstance(package, bytes) else package.as_bytes())


def model_of(catalog):
    """Return the model behind a catalog's name."""
    return registry.targets()[catalog].model


def row_of(catalog, code):
    """Return the one live row with a code."""
    return model_of(catalog).objects.get(code=code, is_deleted=False)


def make_row(catalog, *, actor, **values):
    """Create a row as a person does, from wire values."""
    with acting_as(actor, ChangeOrigin.USER):
        return services.create_record(model=model_of(catalog), data=values, actor=actor)


def edit_row(row, *, actor, **values):
    """Change a row as a person does; returns the row as it is afterwards."""
    row.refresh_from_db()
    with acting_as(actor, ChangeOrigin.USER):
        return services.update_record(row=row, data=values, actor=actor)


def delete_row(row, *, actor):
    """Delete a row as a person does: softly."""
    row.refresh_from_db()
    with acting_as(actor, ChangeOrigin.USER):
        return services.delete_record(row=row, actor=actor)


def erase_row(row):
    """Remove a row from its table, as an administrator may."""
    models.QuerySet(type(row)).filter(pk=row.pk).delete()


def empty_tables():
    """Remove all business rows, change events and runs that a test committed."""
    with transaction.atomic():
        for model in [*business_models(), *run_models()]:
            plain = models.QuerySet(model)
            plain._raw_delete(plain.db)


def business_models():
    """Return the models of everything a run may write beside its own history."""
    records = [m for m in apps.get_models() if issubclass(m, Record)]
    # Not what is only counted for a cache, or kept while an import runs.
    passing = {RegisterGeneration, DocumentReservation}
    tables = apps.get_app_config("documents").get_models()
    registers = [model for model in tables if model not in passing]
    own = [ChangeEvent, FormerMark, ProcessorExecution]
    return list(dict.fromkeys([*own, *registers, *records]))


def run_models():
    """Return the models of the importer's own tables."""
    return list(apps.get_app_config("importer").get_models())


def outcomes(report):
    """Return the outcome of each object by its id."""
    return {result.id: str(result.outcome) for result in report.items}


def messages(report):
    """Return the message of each failed object by its id."""
    return {r.id: r.message for r in report.items if r.outcome == "Failed"}
