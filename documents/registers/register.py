"""The write guard of the registers: rows change only inside a block that counts the
change, so that cached results never outlive it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from django.db import models, transaction
from django_stubs_ext import StrOrPromise

from documents.registers.generation import count_change
from platform_site.context_values import assigned
from platform_site.database.inserts import insert_rows
from platform_site.records.errors import WriteRefused

_Row = TypeVar("_Row", bound=models.Model)
_changing: ContextVar[bool] = ContextVar("changing_registers", default=False)


def changing_registers() -> AbstractContextManager[bool]:
    """Allow register writes inside the block and count them as one change.

    It must be used inside a transaction and before any stock is locked, so that nobody
    waits for the counter while holding a lock that others need.
    """
    if not transaction.get_connection().in_atomic_block:
        raise WriteRefused("Registers change within a transaction only.")
    count_change()
    return assigned(_changing, True)  # noqa: FBT003 - its value


def _require_block() -> None:
    if not _changing.get():
        raise WriteRefused("Write registers inside changing_registers() only.")


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a writing method that is refused outside the block."""

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        _require_block()
        return method(self, *args, **kwargs)

    return guarded


class RegisterQuerySet(models.QuerySet[Any]):
    """Rows of a register: readable anywhere, writable only inside ``changing_registers``."""

    update = _guarded(models.QuerySet.update)
    delete = _guarded(models.QuerySet.delete)
    bulk_create = _guarded(models.QuerySet.bulk_create)
    bulk_update = _guarded(models.QuerySet.bulk_update)

    def insert(self, rows: Sequence[Any], unique: Sequence[str] | None = None) -> None:
        """Insert entries that have an attribute for each column (see `insert_rows`)."""
        _require_block()
        insert_rows(self.model, rows, unique)


class Register(models.Model):
    """The base of register rows, which only posting writes."""

    objects = RegisterQuerySet.as_manager()

    class Meta:
        abstract = True

    save = _guarded(models.Model.save)
    delete = _guarded(models.Model.delete)


def register_key(
    to: type[_Row], name: StrOrPromise, **options: Any
) -> models.ForeignKey[_Row, _Row]:
    """Return a foreign key of a register, which the row it refers to knows nothing of."""
    usual = {"on_delete": models.PROTECT, "related_name": "+", "verbose_name": name}
    return models.ForeignKey(to, **{**usual, **options})


def optional_key(
    to: type[_Row], name: StrOrPromise, **options: Any
) -> models.ForeignKey[_Row | None, _Row | None]:
    """Return a foreign key like `register_key` that may be empty."""
    key: Any = register_key(to, name, null=True, **options)
    return key  # type: ignore[no-any-return] # of another type in the stubs
