"""A context manager for context variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_V = TypeVar("_V")


@contextmanager
def assigned(variable: ContextVar[_V], value: _V) -> Iterator[_V]:
    """Set a variable inside the block and restore its previous value afterwards."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
