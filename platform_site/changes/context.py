"""The context of changes: user, origin and run. Each request, run or job sets it, and
change events read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from platform_site.context_values import assigned
from platform_site.log_context import logged_with


class ChangeOrigin(TextChoices):
    """The origin of a change, as readers see it (IMP-314)."""

    USER = "User", _("User")
    API_KEY = "API key", _("API key")
    MCP_AGENT = "MCP agent", _("MCP agent")
    SCHEDULED_JOB = "Scheduled job", _("Scheduled job")
    IMPORT = "Import", _("Import")
    DEMO_DATA = "Demo data", _("Demo data")
    SYSTEM = "System", _("System")


@dataclass(frozen=True, slots=True)
class Acting:
    """The user (None for the platform itself), origin and run of changes."""

    user: AbstractBaseUser | None
    origin: ChangeOrigin
    run_id: UUID | None = None

    def user_name(self) -> str:
        """Return the name of the acting user, empty for the platform itself."""
        return "" if self.user is None else self.user.get_username()


# The lower number prevails; the two kinds of run are equal (OPEN-80).
_RANK: Final = {
    ChangeOrigin.DEMO_DATA: 0,
    ChangeOrigin.IMPORT: 0,
    ChangeOrigin.SCHEDULED_JOB: 1,
    ChangeOrigin.MCP_AGENT: 2,
    ChangeOrigin.API_KEY: 3,
    ChangeOrigin.USER: 4,
    ChangeOrigin.SYSTEM: 5,
}
_NOBODY: Final = Acting(user=None, origin=ChangeOrigin.SYSTEM)
_acting: ContextVar[Callable[[], Acting]] = ContextVar(
    "platform_acting", default=lambda: _NOBODY
)


def prevailing(outer: ChangeOrigin, inner: ChangeOrigin) -> ChangeOrigin:
    """Return the origin of a change inside both; of equal ones the outer (OPEN-80)."""
    return inner if _RANK[inner] < _RANK[outer] else outer


def combined(outer: Acting, inner: Acting) -> Acting:
    """Return the combination of both: inner user, prevailing origin, one run."""
    return Acting(
        user=outer.user if inner.user is None else inner.user,
        origin=prevailing(outer.origin, inner.origin),
        # Everything inside a run belongs to it, so that its report is complete.
        run_id=outer.run_id or inner.run_id,
    )


def current() -> Acting:
    """Return the current context: no user and System by default."""
    return _acting.get()()


@contextmanager
def acting_as(
    user: AbstractBaseUser | None, origin: ChangeOrigin, run_id: UUID | None = None
) -> Iterator[Acting]:
    """Set the acting user inside the block; threads don't inherit it."""
    inner = combined(current(), Acting(user=user, origin=origin, run_id=run_id))
    run = str(inner.run_id or "")
    with (
        assigned(_acting, lambda: inner),
        logged_with(user_name=inner.user_name, run_id=run),
    ):
        yield inner


def acting_when_asked(
    resolve: Callable[[], Acting],
) -> AbstractContextManager[Callable[[], Acting]]:
    """Set a context that calls `resolve` only when something needs it."""
    outer = _acting.get()
    return assigned(_acting, lambda: combined(outer(), resolve()))
