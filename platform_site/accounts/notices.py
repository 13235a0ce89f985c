"""The notices about accounts on the start page: an unchanged first password, and the
number of users that the licence still allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from licensing.services import current_limits
from platform_site.accounts.built_in import ADMIN_ACCOUNT
from platform_site.accounts.models import User
from platform_site.accounts.services import has_default_password, is_administrator
from platform_site.notices import Notice, NoticeSeverity, register, used


def default_password(user: Any) -> Iterator[Notice]:
    """Yield a notice while `admin` has the documented first password (OPEN-114)."""
    for account in User.objects.filter(username=ADMIN_ACCOUNT):
        if has_default_password(account):
            text = _(
                "The account “%(account)s” still has the password that is "
                "published in the documentation, so anyone can sign in with it."
            )
            link = reverse("admin:auth_user_password_change", args=[account.pk])
            if account == user:
                link = reverse("admin:password_change")
            yield Notice(
                NoticeSeverity.PROBLEM,
                text % {"account": account},
                link,
                _("Change the password"),
            )


def users(user: Any) -> Iterator[Notice]:
    """Yield how many of the licensed users exist (OPEN-68)."""
    limit = current_limits().users
    if limit is not None:
        there = User.objects.filter(is_service=False).count()
        text = _("Users: %(used)s of the %(limit)s allowed.")
        remedy = _(
            "At the limit no user can be added: delete users who are no longer needed, "
            "or get a licence for more."
        )
        yield used(text, there, limit, remedy=remedy)


register(default_password, seen_by=is_administrator)
register(users, seen_by=is_administrator)
