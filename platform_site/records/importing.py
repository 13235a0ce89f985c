"""Business rows as import targets: the engine goes through the same door as anybody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import models
from django.urls import NoReverseMatch, reverse

from importer import registry
from importer.package.shapes import Mark
from importer.pipeline.ports import Look as EngineLook
from importer.pipeline.ports import Write
from importer.prepared import Draft, name_in_package
from importer.targets import SerializerTarget
from platform_site.records import services, wire
from platform_site.records.models import Record
from platform_site.records.references import references_in
from platform_site.records.serializers import RecordSerializer


class RecordTarget(SerializerTarget):
    """Prepare and commit through the services."""

    model: type[Record]

    def rows(self, row_ids: Sequence[int]) -> dict[int, Any]:
        """Return rows by their keys with all their parts: a query per table."""
        found = super().rows(row_ids)
        for part in self.model.parts:
            part.load(found.values())
        return found

    def lines(self, row_ids: Sequence[int]) -> dict[int, int]:
        """Return the lines in the longest part of rows: a query per part."""
        longest: dict[int, int] = {}
        for part in self.model.parts if row_ids else ():
            for row_id, count in part.count(self.model, row_ids).items():
                longest[row_id] = max(count, longest.get(row_id, 0))
        return longest

    def named_by(self, row: Any) -> Iterator[tuple[str, int]]:
        """Yield (target, key) of the rows that a row and its parts refer to."""
        for reference in references_in(row):
            yield _name(reference.wanted.model), reference.row_id

    def prepare(self, order: Write, look: EngineLook) -> Draft:
        """Take a write as far as the services take it without writing."""
        return services.prepare(order, self.model, WindowLook(look))

    def commit(self, prepared: Any, mark: Mark | None) -> int:
        """Write through the services."""
        return int(services.commit(prepared, mark).pk)


class WindowLook:
    """Let rules and fields ask the window of a run by model."""

    def __init__(self, look: EngineLook) -> None:
        self._look = look

    def load(self, model: type[models.Model], row_ids: Iterable[int]) -> None:
        """Do nothing: the window was loaded for all its objects at once."""

    def name(self, row: Any) -> str:
        """Return a row's name, and its ``$id`` where an object of a package made it."""
        return name_in_package(row)

    def row(self, model: type[models.Model], row_id: int) -> Any | None:
        """Return a row by its key, deleted ones included."""
        return self._look.row(_name(model), row_id)

    def holders(
        self, model: type[models.Model], name: str, value: Any
    ) -> Sequence[int]:
        """Return the keys of the live rows that have a value in a wire property."""
        return self._look.holders(_name(model), name, value)


def link_to_row(model: type[models.Model], row_id: int, user: Any) -> str:
    """Return the page of a row for those who may see it, else an empty text."""
    options = model._meta
    name = f"{options.app_label}.view_{options.model_name}"
    if not user.is_staff or not user.has_perm(name):
        return ""
    page = f"admin:{options.app_label}_{options.model_name}_change"
    try:
        return reverse(page, args=[row_id])
    except NoReverseMatch:  # it has no pages
        return ""


registry.register_row_link(link_to_row)


def _name(model: type[models.Model]) -> str:
    return model.catalog_name  # type: ignore[attr-defined, no-any-return]


def register_record(
    serializer: type[RecordSerializer],
    *,
    kind: str = "dictionary",
    target: type[RecordTarget] = RecordTarget,
) -> None:
    """Make a model with its wire serializer known to services and importer."""
    model = wire.register_serializer(serializer)
    registry.register_target(
        target(model, serializer, name=model.catalog_name, kind=kind)
    )
