"""The one way in which rows of the registers are written: inside a block that counts the
change first, so that no writer can forget whoever keeps what the registers came to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

from django.db import models, transaction

from documents.registers.generation import count_change
from platform_site.records.errors import WriteRefused

_changing: ContextVar[bool] = ContextVar("changing_registers", default=False)


@contextmanager
def changing_registers() -> Iterator[None]:
    """Allow writes to the registers inside the block, which count as one change.

    It must lie inside a transaction, before any stock is locked: so nobody waits for
    the count while holding what another needs.
    """
    if not transaction.get_connection().in_atomic_block:
        raise WriteRefused("Registers change within a transaction only.")
    count_change()
    token = _changing.set(True)
    try:
        yield
    finally:
        _changing.reset(token)


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that writes, refused outside the block."""

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _changing.get():
            raise WriteRefused("Write registers inside changing_registers() only.")
        return method(self, *args, **kwargs)

    return guarded


class RegisterQuerySet(models.QuerySet[Any]):
    """Rows of a register: read by anybody, written inside ``changing_registers``."""

    update = _guarded(models.QuerySet.update)
    delete = _guarded(models.QuerySet.delete)
    bulk_create = _guarded(models.QuerySet.bulk_create)
    bulk_update = _guarded(models.QuerySet.bulk_update)


class Register(models.Model):
    """A row of a register; only posting writes them."""

    objects = RegisterQuerySet.as_manager()

    class Meta:
        abstract = True

    save = _guarded(models.Model.save)
    delete = _guarded(models.Model.delete)
