"""What services need to know of a model's wire serializer: one registry of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from importer.describe import unique_names, unique_sets
from importer.owners import taken_by, with_owners
from importer.package.shapes import BY_DATABASE, Problem
from importer.prepared import Draft, validated
from importer.serializers import flatten
from platform_site.records.look import Look
from platform_site.records.models import Record
from platform_site.records.serializers import RecordSerializer

_serializers: dict[type[Record], type[RecordSerializer]] = {}
_bound: dict[type[Record], RecordSerializer] = {}
_unique: dict[type[Record], tuple[tuple[str, str], ...]] = {}


def register_serializer(serializer: type[RecordSerializer]) -> type[Record]:
    """Make a serializer the wire form of its model, and return the model."""
    model: type[Record] = serializer.Meta.model
    _serializers[model] = serializer
    return model


def serializer_of(model: type[Record]) -> type[RecordSerializer]:
    """Return the wire serializer of a model."""
    return _serializers[model]


def fields_of(model: type[Record]) -> dict[str, Any]:
    """Return the fields of a model's wire serializer by their names; only to look at."""
    return dict(_one(model).fields)


def whole(model: type[Record], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values for a whole row: what was not given is as in a new one.

    Refusal names the required properties that are missing, and what else is wrong.
    """
    known = _one(model).fields
    fields = {n: f for n, f in known.items() if not f.read_only}
    if any(f.required and n not in values for n, f in fields.items()):
        given = {n: v for n, v in values.items() if n in fields or n not in known}
        validated(serializer_of(model), given, row=None, context={})
    absent = {name: _initial(model, fields[name]) for name in set(fields) - set(values)}
    return {**values, **absent}


def _initial(model: type[Record], field: Any) -> Any:
    column: Any = model._meta.get_field(str(field.source))
    value = column.get_default()
    return None if value is None else field.to_representation(value)


def _one(model: type[Record]) -> RecordSerializer:
    if model not in _bound:
        _bound[model] = bound = _serializers[model]()
        _unique[model] = tuple(
            (name, str(bound.fields[name].source))
            for name in unique_names(bound.fields, model)
        )
    return _bound[model]


def taken(draft: Draft, look: Look) -> list[Problem]:
    """Return the properties whose value another live row holds, as ``look`` sees it."""
    model = type(draft.row)
    _one(model)
    problems = []
    for name, source in _unique[model]:
        value = getattr(draft.row, source)
        kept = draft.before is not None and getattr(draft.before, source) == value
        if value in (None, "") or (kept and not draft.order.restore):
            continue
        holders, row_of = look.holders(model, name, value), partial(look.row, model)
        problem = taken_by(draft, name, value, holders, model.catalog_name, row_of)
        if problem is not None:
            problems.append(problem)
    return problems


def changes(draft: Draft) -> dict[str, list[Any]]:
    """Return ``{property: [before, after]}`` in wire values; a new row has no before."""
    found: dict[str, list[Any]] = {}
    row, before = draft.row, draft.before
    for name, field in _one(type(row)).fields.items():
        if field.read_only:
            continue
        after = getattr(row, str(field.source))
        if before is None:
            if after not in (None, ""):
                found[name] = [None, field.to_representation(after)]
            continue
        earlier = getattr(before, str(field.source))
        if earlier != after:
            pair = (earlier, after)
            found[name] = [
                None if value is None else field.to_representation(value)
                for value in pair
            ]
    return found


def drawn(draft: Draft) -> dict[str, list[Any]]:
    """Return ``{property: [None, value]}`` of what a new row got by being saved."""
    row = draft.row
    return {
        name: [None, field.to_representation(value)]
        for name, field in _one(type(row)).fields.items()
        if name not in draft.changes
        and not field.read_only
        and (value := getattr(row, str(field.source))) not in (None, "")
    }


def lost(row: Record) -> dict[str, list[Any]]:
    """Return ``{property: [value, None]}`` of what goes with a row that is erased."""
    return {
        name: [field.to_representation(value), None]
        for name, field in _one(type(row)).fields.items()
        if not field.read_only
        and (value := getattr(row, str(field.source))) not in (None, "")
    }


def ordinary_words(draft: Draft) -> list[Problem]:
    """Ask the ordinary serializer why the database refused a row."""
    order, model = draft.order, type(draft.row)
    _one(model)
    data = order.values
    if data is None:
        pairs = ((name, source) for name, source in _unique[model])
        data = {name: getattr(draft.row, source) for name, source in pairs}
    serializer = serializer_of(model)(
        instance=order.row, data=data, partial=order.row is not None
    )
    if serializer.is_valid():
        sentence = _("The database refused the row; try again.")
        return [Problem("", sentence, BY_DATABASE)]
    together = unique_sets(serializer.fields, model)
    sources = {name: str(f.source) for name, f in serializer.fields.items()}
    names = [*((name,) for name, _source in _unique[model]), *together]
    return with_owners(
        flatten(serializer.errors),
        model.objects.live(),
        draft,
        [{name: sources[name] for name in one} for one in names],
        target=model.catalog_name,
    )
