"""The objects of exported rows: their writable properties, with references by ``$ref``
or ``$code``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from importer.columns import is_deleted
from importer.exporting.arrangement import live
from importer.exporting.identities import Identities, code_of
from importer.exporting.selection import Selection
from importer.package.check import ID
from importer.package.fields import FieldKind, FieldSpec
from importer.package.references import BY_CODE, BY_ID
from importer.package.shapes import Problem
from importer.pipeline.row_numbers import number_of
from importer.serializers import borrowed

Values = Mapping[str, Any]


class ObjectMaker:
    """What turns the rows of windows into objects; look-ups are made per window."""

    def __init__(
        self,
        selections: Iterable[Selection],
        targets: Mapping[str, Any],
        identities: Identities,
    ) -> None:
        self._selections = {each.target.name: each for each in selections}
        self._targets = targets
        self._identities = identities
        self._named: dict[str, dict[Any, Any]] = {}
        self._later: dict[str, set[Any]] = {}

    def objects(
        self, target: Any, keys: list[Any], problems: list[Problem]
    ) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield each row of a window with its object."""
        found = target.rows(keys)
        # Not those that were deleted since the keys were read.
        rows = {k: found[k] for k in keys if k in found and not is_deleted(found[k])}
        with timezone.override(UTC), borrowed(target.serializer) as lent:
            wire = {k: dict(lent.to_representation(row)) for k, row in rows.items()}
        self._load(target.spec.fields, wire.values())
        identifiers = self._identities.assign(target, rows, problems)
        for key, identifier in identifiers.items():
            place = f"{target.name} {rows[key]}"
            values = self._object(target.spec.fields, wire[key], place, problems)
            yield rows[key], {ID: identifier, **values}

    def _load(self, fields: Iterable[FieldSpec], values: Iterable[Values]) -> None:
        """Load the rows to which a window refers, with one query per table."""
        keys: dict[str, dict[Any, None]] = {}
        for each in values:
            for to, key in _references(fields, each):
                keys.setdefault(to, {})[number_of(key)] = None
        self._named = {to: self._targets[to].rows([*some]) for to, some in keys.items()}
        self._later = {to: self._not_yet(to, rows) for to, rows in self._named.items()}

    def _not_yet(self, to: str, rows: Mapping[Any, Any]) -> set[Any]:
        """Return the keys of rows that the package gets, but hasn't got yet."""
        selection, target = self._selections.get(to), self._targets[to]
        left = [
            key
            for key, row in rows.items()
            if self._identities.known(target, key, row) is None
        ]
        if selection is None or not left:
            return set()
        found = live(selection).filter(pk__one_of=left)
        return {number_of(key) for key in found.values_list("pk", flat=True)}

    def _object(
        self,
        fields: Iterable[FieldSpec],
        values: Values,
        place: str,
        problems: list[Problem],
    ) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for field in fields:
            value, at = values.get(field.name), f"{place}: {field.name}"
            rule = field.applies
            if rule is not None and values.get(rule.property) != rule.value:
                continue  # such a row never has this property
            if value is not None and field.kind is FieldKind.REFERENCE:
                value = self._reference(field.to, value, at, problems)
            elif value is not None and field.kind is FieldKind.LINES:
                value = [
                    self._object(field.lines, line, f"{at}[{number}]", problems)
                    for number, line in enumerate(value)
                ]
            made[field.name] = value
        return made

    def _reference(
        self, to: str, key: Any, at: str, problems: list[Problem]
    ) -> dict[str, str]:
        key = number_of(key)
        target, row = self._targets[to], self._named[to].get(key)
        identifier = row and self._identities.known(target, key, row)
        if identifier:
            return {BY_ID: identifier}
        if sentence := self._refusal(target, row):
            words = {"row": row, "target": to}
            problems.append(Problem(at, sentence % words))
        return {BY_CODE: "" if row is None else code_of(target, row)}

    def _refusal(self, target: Any, row: Any) -> str:
        """Return why nothing outside of the package can be referred to, if so."""
        if row is None:
            return _("the row of %(target)s to which it refers doesn't exist")
        if is_deleted(row):
            return _("%(row)s, to which it refers, is deleted")
        if number_of(row.pk) in self._later.get(target.name, ()):
            return _("%(row)s, to which it refers, can only come later in the package")
        if not code_of(target, row):
            return _("%(row)s, to which it refers, isn't exported and has no code")
        return ""


def _references(
    fields: Iterable[FieldSpec], values: Values
) -> Iterator[tuple[str, Any]]:
    """Yield (target, key) for the references of a row in wire form."""
    for field in fields:
        value = values.get(field.name)
        if value is None:
            continue
        if field.kind is FieldKind.REFERENCE:
            yield field.to, value
        elif field.kind is FieldKind.LINES:
            for line in value:
                yield from _references(field.lines, line)
