"""The ``$id`` of exported rows.

A row with a mark keeps the ``$id`` that it was imported with, whatever the package.
Others get one from their code. An ``$id`` is unique in the whole package: if two rows
would have the same one, those with a mark of this package come first, then the one
that is exported first; the other gets its code as ``$id``, if need be with a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from django.utils.translation import gettext as _

from importer.package.shapes import Problem


def code_of(target: Any, row: Any) -> str:
    """Return the code of a row, empty if it has none."""
    if not target.spec.code:
        return ""
    (code,) = target.row_values(row, [target.spec.code])
    return "" if code is None else str(code)


class Identities:
    """The ``$id`` of the rows exported so far, and which rows those are."""

    def __init__(self, package: str, targets: Iterable[Any]) -> None:
        self._package = package
        # Deleted rows count: an object with their ``$id`` would mean them.
        self._owning = [
            target
            for target in targets
            if target.model._base_manager.filter(import_source=package).exists()
        ]
        self._taken: set[str] = set()
        self._exported: dict[str, set[Any]] = {}
        self._unusual: dict[tuple[str, Any], str] = {}

    def assign(
        self, target: Any, rows: Mapping[Any, Any], problems: list[Problem]
    ) -> dict[Any, str]:
        """Return the ``$id`` of each row of a window; what has none is a problem."""
        found: dict[Any, str] = {}
        reserved = self._reserved(
            each
            for row in rows.values()
            if not self._own(row)
            for each in self._candidate(target, row)
        )
        for key, row in rows.items():
            usual = self._usual(target, row)
            if not usual or (self._own(row) and usual in self._taken):
                problems.append(Problem(f"{target.name} {row}", self._refusal(usual)))
                continue
            identifier = usual
            if not self._own(row) and (usual in self._taken or usual in reserved):
                identifier = self._free(target, row)
                self._unusual[target.name, key] = identifier
            self._taken.add(identifier)
            self._exported.setdefault(target.name, set()).add(key)
            found[key] = identifier
        return found

    def known(self, target: Any, key: Any, row: Any) -> str | None:
        """Return the ``$id`` of an exported row, None if it isn't in the package."""
        if key not in self._exported.get(target.name, ()):
            return None
        return self._unusual.get((target.name, key)) or self._usual(target, row)

    def _own(self, row: Any) -> bool:
        return bool(row.import_source == self._package)

    def _usual(self, target: Any, row: Any) -> str:
        """Return the ``$id`` of a row that no other row wants."""
        return str(row.import_key or "") or self._from_code(target, row)

    def _candidate(self, target: Any, row: Any) -> Iterator[str]:
        usual = self._usual(target, row)
        if usual:
            yield usual

    @staticmethod
    def _from_code(target: Any, row: Any) -> str:
        code = code_of(target, row)
        return f"{target.name}:{code}" if code else ""

    def _reserved(self, identifiers: Iterable[str]) -> set[str]:
        """Return those that are the ``$id`` of rows with a mark of this package."""
        if not self._owning or not (wanted := list(identifiers)):
            return set()
        owned = (each.marked(self._package, wanted) for each in self._owning)
        return {identifier for found in owned for identifier in found}

    def _free(self, target: Any, row: Any) -> str:
        """Return an ``$id`` for a row whose usual one another row has."""
        start = self._from_code(target, row) or self._usual(target, row)
        for number in count(1):
            identifier = start if number == 1 else f"{start}~{number}"
            if identifier not in self._taken and not self._reserved([identifier]):
                break
        return identifier

    def _refusal(self, usual: str) -> str:
        if usual:
            sentence = _(
                "another row has the $id %(id)s in the package %(package)s, too; "
                "export under another name"
            )
            return sentence % {"id": usual, "package": self._package}
        return _("it has neither a code nor a mark, from which its $id could be made")
