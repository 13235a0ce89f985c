"""Context variables that have a value inside a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_V = TypeVar("_V")


@contextmanager
def assigned(variable: ContextVar[_V], value: _V) -> Iterator[_V]:
    """Give a variable a value inside the block, and its earlier one back after it."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
