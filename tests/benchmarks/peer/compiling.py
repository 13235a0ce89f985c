"""Statements as Django compiles them: what our database backends add is ours alone."""

from __future__ import annotations

from contextlib import contextmanager

from django.db import connection


@contextmanager
def compiled_by_django():
    """Use the compilers of Django's own backend inside the block."""
    operations = connection.ops
    ours = operations.compiler_module
    theirs = super(type(operations), operations).compiler_module
    _use(theirs)
    try:
        yield
    finally:
        _use(ours)


def _use(module):
    connection.ops.compiler_module = module
    connection.ops._cache = None
