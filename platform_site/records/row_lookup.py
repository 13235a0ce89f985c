"""Other rows as rules and fields see them outside a run: as the database has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models

from platform_site.changes.context import current

# No key is larger: the databases keep 64 bits.
_KEYS = 2**63


def may_see(model: type[models.Model]) -> bool:
    """Return whether whoever is acting may see rows of a model: the product itself
    may."""
    user: Any = current().user
    label, name = model._meta.app_label, model._meta.model_name
    return user is None or any(
        user.has_perm(f"{label}.{verb}_{name}") for verb in ("view", "change")
    )


class DatabaseLookup:
    """Rows asked from the database once each; uniqueness is left to its constraints.

    One serves one write only: what it has seen may be another a moment later.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[type[models.Model], int], Any | None] = {}

    def load(self, model: type[models.Model], row_ids: Iterable[int]) -> None:
        """Fetch rows that will be asked for: one query."""
        asked = [i for i in row_ids if abs(i) < _KEYS and (model, i) not in self._rows]
        if not asked:
            return
        self._rows.update(dict.fromkeys((model, row_id) for row_id in asked))
        for row in model._base_manager.filter(pk__one_of=asked):
            self._rows[model, row.pk] = row

    def name(self, row: Any) -> str:
        """Return what people call a row; of one that may not be seen only its key."""
        return str(row) if may_see(type(row)) else f"#{row.pk}"

    def row(self, model: type[models.Model], row_id: int) -> Any | None:
        """Return a row by its key, deleted ones included."""
        if (model, row_id) not in self._rows:
            found = model._base_manager.filter(pk=row_id).first()
            self._rows[model, row_id] = found
        return self._rows[model, row_id]

    def holders(
        self, model: type[models.Model], name: str, value: Any
    ) -> Sequence[int]:
        """Return nothing: outside a run the database itself decides."""
        return ()
