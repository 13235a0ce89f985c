"""Look-ups of other rows for rules and fields outside of runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models

from platform_site.changes.context import current

# The largest key: databases use 64 bits.
_KEYS = 2**63
_NOT_STORED = re.compile("[\0\ud800-\udfff]")


def may_see(model: type[models.Model]) -> bool:
    """Return whether the actor may see rows of a model; the platform itself may."""
    user: Any = current().user
    label, name = model._meta.app_label, model._meta.model_name
    return user is None or any(
        user.has_perm(f"{label}.{verb}_{name}") for verb in ("view", "change")
    )


def has_code(model: type[models.Model]) -> bool:
    """Return whether the rows of a model have codes."""
    return any(column.name == "code" for column in model._meta.concrete_fields)


class DatabaseLookup:
    """A look-up with a cache; uniqueness is left to the database constraints.

    It serves a single write, since cached rows may change.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[type[models.Model], int], Any | None] = {}
        self._coded: dict[tuple[type[models.Model], str], list[Any]] = {}

    def load(self, model: type[models.Model], row_ids: Iterable[int]) -> None:
        """Load rows that will be needed, with one query."""
        asked = [i for i in row_ids if abs(i) < _KEYS and (model, i) not in self._rows]
        if not asked:
            return
        self._rows.update(dict.fromkeys((model, row_id) for row_id in asked))
        for row in model._base_manager.filter(pk__one_of=asked):
            self._rows[model, row.pk] = row

    def name(self, row: Any) -> str:
        """Return the name of a row; only its key if the actor may not see it."""
        return str(row) if may_see(type(row)) else f"#{row.pk}"

    def row(self, model: type[models.Model], row_id: int) -> Any | None:
        """Return a row by its key, deleted ones included."""
        if (model, row_id) not in self._rows:
            found = model._base_manager.filter(pk=row_id).first()
            self._rows[model, row_id] = found
        return self._rows[model, row_id]

    def may_see(self, model: type[models.Model]) -> bool:
        """Return whether the actor may see rows of a model."""
        return may_see(model)

    def coded(self, model: type[models.Model], code: str) -> Sequence[Any]:
        """Return the rows with a code, deleted ones included."""
        self.load_coded(model, [code])
        return self._coded[model, code]

    def load_coded(self, model: type[models.Model], codes: Iterable[str]) -> None:
        """Load rows that will be needed by their codes, with one query."""
        asked = {c for c in codes if (model, c) not in self._coded}
        self._coded.update({(model, code): [] for code in asked})
        # No database takes such texts, so no row has them.
        asked = {code for code in asked if not _NOT_STORED.search(code)}
        if not asked or not has_code(model):
            return
        found: Any = model._base_manager.filter(code__one_of=sorted(asked))
        for row in found:
            self._coded[model, row.code].append(row)
            self._rows[model, row.pk] = row

    def holders(
        self, model: type[models.Model], name: str, value: Any
    ) -> Sequence[int]:
        """Return nothing: outside a run the database itself decides."""
        return ()

    def simulated(self, kind: type[Any]) -> None:
        """Return None: nothing is simulated outside of dry runs."""
