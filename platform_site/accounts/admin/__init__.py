"""The admin pages of users, roles and API keys."""

from __future__ import annotations

from platform_site.accounts.admin.api_keys import ApiKeyAdmin
from platform_site.accounts.admin.roles import RoleAdmin
from platform_site.accounts.admin.users import AccountAdmin

__all__ = ["AccountAdmin", "ApiKeyAdmin", "RoleAdmin"]
