"""The names of the built-in roles and accounts, for the seeding, the services and all
code that refers to them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Final

ADMIN: Final = "admin"
EMPLOYEE: Final = "employee"
USER: Final = "user"
ROLES: Final = (ADMIN, EMPLOYEE, USER)
ADMIN_ACCOUNT: Final = "admin"
MCP_AGENT: Final = "mcp-agent"
JOBS_SCHEDULER: Final = "jobs-scheduler"

# Deliberately public: the documentation names it, and it must be changed after the
# first sign-in (OPEN-114).
DEFAULT_ADMIN_PASSWORD: Final = "Admin123!"

# Not the last possible year, so that it can be converted to any time zone.
FOR_GOOD: Final = datetime.datetime(9999, 1, 1, tzinfo=datetime.UTC)


def opens_pages(roles: Iterable[str]) -> bool:
    """Return whether members of these roles use the pages: with any role but `user`,
    which is for the API alone."""
    return any(role != USER for role in roles)
