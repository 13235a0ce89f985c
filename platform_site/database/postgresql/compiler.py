"""The compilers for PostgreSQL: those of Django, with cached INSERT statements."""

from __future__ import annotations

from django.db.backends.postgresql.compiler import (
    SQLAggregateCompiler,
    SQLCompiler,
    SQLDeleteCompiler,
    SQLUpdateCompiler,
)
from django.db.backends.postgresql.compiler import SQLInsertCompiler as _DjangoInserts

from platform_site.database.inserts import OnceCompiled

__all__ = [
    "SQLAggregateCompiler",
    "SQLCompiler",
    "SQLDeleteCompiler",
    "SQLInsertCompiler",
    "SQLUpdateCompiler",
]


class SQLInsertCompiler(OnceCompiled, _DjangoInserts):
    """INSERT statements for PostgreSQL."""
