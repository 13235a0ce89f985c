"""The people of the demo company: named here by the configuration, made accounts by the
seeding, and public by nature, for they stand in the user documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from platform_site.accounts.built_in import EMPLOYEE, USER

_DEMO_PASSWORD: Final = "Demo123!"


@dataclass(frozen=True, slots=True)
class DemoUser:
    """The attributes of an account of a demo installation (IMP-152 to IMP-155)."""

    user_name: str
    email: str
    password: str
    roles: tuple[str, ...]


class DemoUserProvider(Protocol):
    """The source of the users of a demo installation."""

    def get_demo_users(self) -> list[DemoUser]:
        """Return them; with `admin` the Free licence has room for four (OPEN-69)."""


class TradeDemoUsers:
    """The people of the trading company."""

    def get_demo_users(self) -> list[DemoUser]:
        """Return three who work with the data, and one who only looks."""
        return [
            _person("sales", EMPLOYEE),
            _person("warehouse", EMPLOYEE),
            _person("bookkeeping", EMPLOYEE),
            _person("visitor", USER),
        ]


def _person(name: str, role: str) -> DemoUser:
    return DemoUser(name, f"{name}@demo.example.com", _DEMO_PASSWORD, (role,))


def demo_users() -> list[DemoUser]:
    """Return the users of the provider that the configuration names."""
    provider: DemoUserProvider = import_string(settings.PLATFORM_DEMO_USERS)()
    return provider.get_demo_users()
