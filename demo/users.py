"""The demo users of each configuration. They are documented and therefore public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from platform_site.accounts.built_in import EMPLOYEE, USER

_DEMO_PASSWORD: Final = "Demo123!"


@dataclass(frozen=True, slots=True)
class DemoUser:
    """The attributes of a demo account (IMP-152 to IMP-155)."""

    user_name: str
    email: str
    password: str
    roles: tuple[str, ...]


class DemoUserProvider(Protocol):
    """A source of demo users."""

    def get_demo_users(self) -> list[DemoUser]:
        """Return the users; beside `admin` the Free licence has room for four
        (OPEN-69)."""


class TradeDemoUsers:
    """The users of the trading company."""

    def get_demo_users(self) -> list[DemoUser]:
        """Return three users who work with the data, and one who can only view it."""
        return [
            _person("sales", EMPLOYEE),
            _person("warehouse", EMPLOYEE),
            _person("bookkeeping", EMPLOYEE),
            _person("visitor", USER),
        ]


def _person(name: str, role: str) -> DemoUser:
    return DemoUser(name, f"{name}@demo.example.com", _DEMO_PASSWORD, (role,))


def demo_users() -> list[DemoUser]:
    """Return the users of the configured provider."""
    provider: DemoUserProvider = import_string(settings.PLATFORM_DEMO_USERS)()
    return provider.get_demo_users()
