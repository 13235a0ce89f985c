"""How statements for SQLite are compiled: as Django does, INSERT statements but once."""

from __future__ import annotations

from django.db.models.sql.compiler import (
    SQLAggregateCompiler,
    SQLCompiler,
    SQLDeleteCompiler,
    SQLUpdateCompiler,
)
from django.db.models.sql.compiler import SQLInsertCompiler as _DjangoInserts

from platform_site.database.inserts import OnceCompiled

__all__ = [
    "SQLAggregateCompiler",
    "SQLCompiler",
    "SQLDeleteCompiler",
    "SQLInsertCompiler",
    "SQLUpdateCompiler",
]


class SQLInsertCompiler(OnceCompiled, _DjangoInserts):
    """INSERT statements for SQLite."""
