"""The seeding of built-in roles and accounts: called after each migrate, it creates
missing ones and never changes existing ones."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from platform_site.accounts.built_in import (
    ADMIN,
    ADMIN_ACCOUNT,
    DEFAULT_ADMIN_PASSWORD,
    FOR_GOOD,
    JOBS_SCHEDULER,
    MCP_AGENT,
    USER,
)
from platform_site.accounts.models import User
from platform_site.accounts.rights import seed_roles
from platform_site.accounts.services import (
    create_user,
    default_password_is_unchanged,
    installation_id,
)

__all__ = ["DEFAULT_ADMIN_PASSWORD", "seed_accounts"]

logger = logging.getLogger("platform.accounts")


def seed_accounts() -> None:
    """Create the missing roles, rights and accounts (HOST-081 to HOST-089, IMP-157).

    An account is identified by its name. An existing one is never changed, whatever its
    roles, password or lock (OPEN-115).
    """
    installation_id()
    seed_roles()
    there = set(
        User.objects.filter(username__in=_MAKERS).values_list("username", flat=True)
    )
    for user_name, make in _MAKERS.items():
        if user_name not in there:
            _create_once(user_name, make)
    if default_password_is_unchanged():
        logger.warning(
            "The account “%s” still has the password that is published in "
            "the documentation; sign in and change it.",
            ADMIN_ACCOUNT,
        )


def _create_once(user_name: str, make: Callable[[], dict[str, Any]]) -> None:
    try:
        with transaction.atomic():
            create_user(user_name=user_name, **make())
    except (IntegrityError, ValidationError):
        # Another process that starts at the same time may have been faster.
        if not User.objects.filter(username=user_name).exists():
            raise
    else:
        logger.info("Created the account “%s”, which was missing.", user_name)


def _admin() -> dict[str, Any]:
    chosen: str = getattr(settings, "PLATFORM_SEED_ADMIN_PASSWORD", "")
    return {
        "password": chosen or DEFAULT_ADMIN_PASSWORD,
        "roles": [ADMIN],
        "is_superuser": True,
    }


def _mcp_agent() -> dict[str, Any]:
    return {"password": _unseen_password(), "roles": [USER], "is_service": True}


def _jobs_scheduler() -> dict[str, Any]:
    return {
        "password": _unseen_password(),
        "is_service": True,
        "locked_until": FOR_GOOD,
    }


def _unseen_password() -> str:
    """Return a random password, of which only the hash is kept (HOST-086, HOST-088)."""
    return secrets.token_urlsafe(32)


_MAKERS: Final = {
    ADMIN_ACCOUNT: _admin,
    MCP_AGENT: _mcp_agent,
    JOBS_SCHEDULER: _jobs_scheduler,
}
