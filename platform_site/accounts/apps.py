"""Tells Django about the accounts and asks for them to be seeded after each migrate."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """Name the accounts and connect their seeding."""

    name = "platform_site.accounts"
    label = "accounts"
    verbose_name = _("Users and roles")

    def ready(self) -> None:
        """Seed when Django has migrated, which every start of the platform does, and
        hear of sessions that end."""
        # The models behind it can be imported only now.
        from platform_site.accounts.receivers import (  # noqa: PLC0415 - as said above
            note_signed_out,
            seed_after_migrate,
        )

        post_migrate.connect(
            seed_after_migrate, sender=self, dispatch_uid="platform.accounts.seeding"
        )
        user_logged_out.connect(
            note_signed_out, dispatch_uid="platform.accounts.signed_out"
        )
