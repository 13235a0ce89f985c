"""The receivers of Django's signals: seeding after a migration, which never stops a
start, and the end of sessions for the security log."""

from __future__ import annotations

import logging
from typing import Any

from django.apps import apps as installed_apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DEFAULT_DB_ALIAS, connection

from platform_site.accounts.models import Installation, SeededPermission, User
from platform_site.accounts.security_log import note_sign_out
from platform_site.accounts.seeding import seed_accounts
from platform_site.changes.services import ChangeEvent

logger = logging.getLogger("platform.accounts")

_NEEDED = (
    ContentType,
    Permission,
    Group,
    Group.permissions.through,
    User,
    User.groups.through,
    SeededPermission,
    Installation,
    ChangeEvent,
)


def seed_after_migrate(sender: Any, *, using: str, **kwargs: Any) -> None:
    """Seed the default database once its tables exist (HOST-081)."""
    if using != DEFAULT_DB_ALIAS:
        return
    try:
        if not _tables_exist():
            return
        _complete_permissions(sender.label, kwargs.get("apps", installed_apps))
        seed_accounts()
    except Exception:  # the platform must start after any error
        logger.exception(
            "The standard roles and accounts could not be checked; the next start "
            "tries again. Accounts that exist are not affected."
        )


def note_signed_out(sender: Any, *, request: Any, user: Any, **kwargs: Any) -> None:
    """Write the end of a session to the security log."""
    if user is not None:
        note_sign_out(request=request, via="page", user=user)


def _tables_exist() -> bool:
    """Return whether all needed tables exist, which they don't while migrating back."""
    tables = set(connection.introspection.table_names())
    return all(model._meta.db_table in tables for model in _NEEDED)


def _complete_permissions(label: str, apps: Any) -> None:
    """Create the permissions of apps that come after this one.

    Without it the role admin would get them only with the second start.
    """
    labels = [config.label for config in installed_apps.get_app_configs()]
    for later in labels[labels.index(label) + 1 :]:
        config = installed_apps.get_app_config(later)
        create_permissions(config, verbosity=0, using=DEFAULT_DB_ALIAS, apps=apps)
