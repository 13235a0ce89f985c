"""INSERT statements that are compiled once.

Django compiles a statement for each row, which takes longer than executing it. The text
doesn't depend on the row unless a value is an expression.
"""

from __future__ import annotations

from typing import Any, Final

from django.db.models.sql import compiler

_MOST_TEXTS: Final = 1_000


class OnceCompiled(compiler.SQLInsertCompiler):
    """A compiler that caches the text of plain INSERT statements.

    They are cached by columns and number of rows, for the life of the process.
    """

    query: Any
    # Shared by all connections of a backend; a race only compiles twice.
    texts: dict[Any, str]

    def __init_subclass__(cls) -> None:
        """Give each backend its own cache."""
        cls.texts = {}

    def as_sql(self) -> list[tuple[str, tuple[Any, ...]]]:  # type: ignore[override]
        """Return the statement with its parameters."""
        query, returning = self.query, self.returning_fields or ()
        if query.on_conflict is not None:
            return self._by_django()
        fields, rows = query.fields, query.objs
        key = (query.model, len(rows), *map(id, fields), None, *map(id, returning))
        text = self.texts.get(key)
        if text is None:
            return self._compiled(key)
        params: list[Any] = []
        for row in rows:
            for field in fields:
                value = self.pre_save_val(field, row)
                if hasattr(value, "resolve_expression"):
                    return self._by_django()
                params.append(field.get_db_prep_save(value, connection=self.connection))
        return [(text, tuple(params))]

    def _compiled(self, key: Any) -> list[tuple[str, tuple[Any, ...]]]:
        """Return Django's statement, and cache its text if it doesn't depend on the
        rows."""
        compiled = self._by_django()
        row = f"({', '.join(['%s'] * len(self.query.fields))})"
        values = f" VALUES {', '.join([row] * len(self.query.objs))}"
        # Anything else depends on these rows: an expression, or columns as arrays.
        if (
            len(compiled) == 1
            and values in compiled[0][0]
            and not self.returning_params
        ):
            if len(self.texts) >= _MOST_TEXTS:
                self.texts.clear()
            self.texts[key] = compiled[0][0]
        return compiled

    def _by_django(self) -> list[tuple[str, tuple[Any, ...]]]:
        return super().as_sql()
