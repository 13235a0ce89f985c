"""The rule that somebody stays who administers the platform."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _

from platform_site.accounts.built_in import ADMIN
from platform_site.accounts.models import User
from platform_site.accounts.services import is_administrator


def refuse_last_administrator(user: User, roles: Iterable[str] | None = None) -> None:
    """Raise `ValidationError` if nobody would administer the platform any more.

    ``user`` has the values that it would get, and ``roles`` are its roles, if they
    change.
    """
    stored = User.objects.select_for_update().get(pk=user.pk)
    if not is_administrator(stored) or stored.is_service:
        return
    stays = user.is_superuser or ADMIN in (
        stored.role_names if roles is None else roles
    )
    if user.is_active and stays:
        return
    people = User.objects.filter(is_active=True, is_service=False).exclude(pk=user.pk)
    if not people.filter(Q(is_superuser=True) | Q(groups__name=ADMIN)).exists():
        sentence = _(
            "“%(user)s” is the last administrator; make another user one first."
        ) % {"user": user}
        field = "roles" if user.is_active else "isActive"
        raise ValidationError({field: sentence}, code="last_administrator")
