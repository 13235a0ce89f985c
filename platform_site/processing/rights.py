"""The right `Execute<Name>` of each processor, stored as a Django permission and given
to roles by the seeding (IMP-200, OPEN-72, OPEN-116)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DEFAULT_DB_ALIAS, connection
from django.utils import translation
from django.utils.translation import gettext as _

from importer import NotAllowed, Problem
from platform_site.processing.models import Processor
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import processors

_LONGEST = 255


def codename(processor: type[DataProcessor]) -> str:
    """Return the name of the right."""
    return f"Execute{processor.__name__}"


def may_execute(user: Any, processor: type[DataProcessor]) -> bool:
    """Return whether `user` has the right to execute a processor."""
    return bool(user.has_perm(f"{Processor._meta.app_label}.{codename(processor)}"))


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
    kind = ContentType.objects.get_for_model(Processor)
    for processor in processors().values():
        name = _untranslated(processor)[:_LONGEST]
        right, _made = Permission.objects.get_or_create(
            content_type=kind, codename=codename(processor), defaults={"name": name}
        )
        if right.name != name:
            right.name = name
            right.save(update_fields=["name"])


def _untranslated(processor: type[DataProcessor]) -> str:
    """Return the untranslated title, which pages translate."""
    with translation.override(None):
        return str(processor.title) or processor.__name__
