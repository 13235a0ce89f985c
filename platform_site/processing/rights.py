"""The right `Execute<Name>` of each processor, stored as a Django permission and given
to roles by the seeding (IMP-200, OPEN-72, OPEN-116)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DEFAULT_DB_ALIAS, connection
from django.utils import translation
from django.utils.translation import gettext as _

from importer import NotAllowed, Problem
from platform_site.accounts.models import SeededPermission
from platform_site.processing.models import Processor
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import processors, registered_processors

_LONGEST = 255
_EXECUTE = "Execute"


def codename(processor: type[DataProcessor]) -> str:
    """Return the name of the right."""
    return f"{_EXECUTE}{processor.__name__}"


def may_execute(user: Any, processor: type[DataProcessor]) -> bool:
    """Return whether `user` has the right to execute a processor."""
    return bool(user.has_perm(f"{_app()}.{codename(processor)}"))


def rights_needed(processor: type[DataProcessor]) -> list[str]:
    """Return the rights that an execution needs: its own, and those on rows."""
    return [f"{_app()}.{codename(processor)}", *processor.needs()]


def executable(user: Any) -> Iterator[type[DataProcessor]]:
    """Yield the processors that `user` may execute: first the registered classes, then
    the others, which are queried only for users with a right to more."""
    known = registered_processors()
    yield from (each for each in known.values() if may_execute(user, each))
    registered = {f"{_app()}.{codename(each)}" for each in known.values()}
    prefix = f"{_app()}.{_EXECUTE}"
    if any(
        right.startswith(prefix) and right not in registered
        for right in user.get_all_permissions()
    ):
        others = (each for name, each in processors().items() if name not in known)
        yield from (each for each in others if may_execute(user, each))


def _app() -> str:
    return str(Processor._meta.app_label)


def authorise(user: Any, processor: type[DataProcessor]) -> None:
    """Raise NotAllowed for a user without the right."""
    if not may_execute(user, processor):
        message = _(
            "“%(user)s” may not execute “%(processor)s”; ask an administrator for the "
            "right %(right)s."
        ) % {
            "user": user,
            "processor": processor.title or processor.__name__,
            "right": codename(processor),
        }
        raise NotAllowed([Problem("", message, "not-allowed")], codename(processor))


def record_rights(sender: Any, *, using: str, **kwargs: Any) -> None:
    """Create the permissions of new processors, after Django created its own."""
    tables = (ContentType._meta.db_table, Permission._meta.db_table)
    if using != DEFAULT_DB_ALIAS or not (
        set(tables) <= set(connection.introspection.table_names())
    ):
        return
    for processor in registered_processors().values():
        record_right(processor)


def record_right(processor: type[DataProcessor]) -> bool:
    """Create the permission of a processor, or correct its name; return whether it is
    new."""
    name = _untranslated(processor)[:_LONGEST]
    right, is_new = Permission.objects.get_or_create(
        content_type=ContentType.objects.get_for_model(Processor),
        codename=codename(processor),
        defaults={"name": name},
    )
    if right.name != name:
        right.name = name
        right.save(update_fields=["name"])
    return is_new


def remove_right(name: str) -> None:
    """Delete the permission of a processor that is gone; roles and users lose it."""
    kind = ContentType.objects.get_for_model(Processor)
    Permission.objects.filter(content_type=kind, codename=f"{_EXECUTE}{name}").delete()
    app, right = _app(), f"{_EXECUTE}{name}"
    SeededPermission.objects.filter(app_label=app, codename=right).delete()


def _untranslated(processor: type[DataProcessor]) -> str:
    """Return the untranslated title, which pages translate."""
    with translation.override(None):
        return str(processor.title) or processor.__name__
