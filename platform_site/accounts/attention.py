"""What the start page says of the accounts: a password everybody knows, and how many
users the licence still has room for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.contrib.auth.hashers import check_password
from django.urls import reverse
from django.utils.translation import gettext as _

from licensing.services import current_limits
from platform_site.accounts.models import User
from platform_site.accounts.services import is_administrator
from platform_site.accounts.standard import ADMIN_ACCOUNT, DEFAULT_ADMIN_PASSWORD
from platform_site.noticeboard import Notice, Severity, register, used

if TYPE_CHECKING:
    from collections.abc import Iterator


def default_password(user: Any) -> Iterator[Notice]:
    """Yield a notice while `admin` has the documented first password (OPEN-114)."""
    stored = User.objects.filter(username=ADMIN_ACCOUNT).values_list("pk", "password")
    for key, password in stored:
        if _is_the_default(password):
            text = _(
                "The account “%(account)s” still has the password that is in the "
                "documentation: whoever reads it can come in."
            )
            page = "admin:auth_user_password_change"
            link = reverse(page, args=[key])
            if user.pk == key:
                link = reverse("admin:password_change")
            yield Notice(
                Severity.PROBLEM,
                text % {"account": ADMIN_ACCOUNT},
                link,
                _("Change the password"),
            )


@lru_cache(maxsize=1)
def _is_the_default(stored: str) -> bool:
    """Compare once: hashing takes as long as the rest of the page many times over."""
    return check_password(DEFAULT_ADMIN_PASSWORD, stored)


def users(user: Any) -> Iterator[Notice]:
    """Yield how many of the users are there that the licence allows (OPEN-68)."""
    limit = current_limits().users
    if limit is not None:
        there = User.objects.filter(is_service=False).count()
        text = _("Users: %(used)s of %(limit)s that the licence allows.")
        yield used(text, there, limit)


register(default_password, seen_by=is_administrator)
register(users, seen_by=is_administrator)
