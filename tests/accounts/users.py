"""Builders of four users: an administrator, one who edits accounts, a clerk and a
newcomer."""

from __future__ import annotations

from django.contrib.auth.models import Permission

from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import save_role
from platform_site.accounts.services import create_user

OFFICE = [
    f"accounts.{verb}_{what}"
    for verb in ("view", "add", "change", "delete")
    for what in ("user", "role", "apikey")
] + [f"scheduling.{verb}_job" for verb in ("view", "add", "change", "delete")]


def rights(*names):
    pairs = [name.split(".") for name in names]
    return [
        Permission.objects.get(content_type__app_label=app, codename=codename)
        for app, codename in pairs
    ]


def everybody():
    """Create the users and return all accounts by name."""
    office = save_role(role=Role(name="office"), permissions=rights(*OFFICE))
    create_user(user_name="office", password="p", roles=[office.name], is_staff=True)
    create_user(user_name="clerk", password="p", roles=["employee"])
    create_user(user_name="newcomer", password="p")
    return {each.username: each for each in User.objects.all()}
