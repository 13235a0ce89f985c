"""The roles and accounts every installation has: named here once for the seeding, the
services and whatever else must know an account by its name."""

from __future__ import annotations

import datetime
from typing import Final

ADMIN: Final = "admin"
EMPLOYEE: Final = "employee"
USER: Final = "user"
ROLES: Final = (ADMIN, EMPLOYEE, USER)
# Members of these work in the administration pages; the others call the API.
STAFF_ROLES: Final = frozenset({ADMIN, EMPLOYEE})

ADMIN_ACCOUNT: Final = "admin"
MCP_AGENT: Final = "mcp-agent"
JOBS_SCHEDULER: Final = "jobs-scheduler"

# Public by intention: it is in the user documentation, to be changed after the first
# sign-in (OPEN-114).
DEFAULT_ADMIN_PASSWORD: Final = "Admin123!"

# Not the last year there is: a reader's zone must have room to move it.
FOR_GOOD: Final = datetime.datetime(9999, 1, 1, tzinfo=datetime.UTC)
