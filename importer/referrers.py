"""The rows that refer to rows: those must not be deleted before them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from django.db import models

from importer.columns import columns_of


class WayToRefer(msgspec.Struct, frozen=True):
    """A way in which live rows of a model refer to rows of another.

    ``rows`` have the reference in the column ``name``, and the key of the row that
    refers in the column ``key``, since the reference may be in a part of it.
    """

    model: type[models.Model]
    rows: models.QuerySet[Any]
    name: str
    key: str = "pk"


def ways_to_refer(model: type[models.Model]) -> Iterator[WayToRefer]:
    """Yield the ways in which live rows refer to rows of a model.

    Rows that go with the other row (CASCADE) and can't be soft-deleted on their own are
    parts of it and don't count.
    """
    for relation in relations_to(model):
        other = relation.related_model
        deleted = columns_of(other).deleted
        if deleted or relation.on_delete is not models.CASCADE:
            rows = other._base_manager.all()
            live = rows.filter(**{deleted: False}) if deleted else rows
            yield WayToRefer(other, live, relation.field.name)


def relations_to(model: type[models.Model]) -> Iterator[Any]:
    """Yield the relations by which rows of any model refer to rows of a model."""
    for relation in model._meta.get_fields(include_hidden=True):
        if relation.auto_created and (relation.one_to_many or relation.one_to_one):
            yield relation


def referrers(
    ways: Iterable[WayToRefer], keys: Sequence[Any], apart: Collection[type[Any]]
) -> Iterator[tuple[Any, type[Any], Any]]:
    """Yield (key, model, referring key) for rows, with one query for each way.

    Only rows of the models in ``apart`` are told apart; others have no key.
    """
    for way in ways:
        named = way.rows.filter(**{f"{way.name}__one_of": keys}).order_by()
        if way.model in apart:
            pairs = named.values_list(way.name, way.key).distinct()
            for key, other in pairs.iterator():
                yield key, way.model, other
        else:
            for key in named.values_list(way.name, flat=True).distinct():
                yield key, way.model, None
