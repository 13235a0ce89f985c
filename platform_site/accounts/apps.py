"""The accounts app, which seeds roles and accounts after each migrate."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

from platform_site.housekeeping import register_chore


class AccountsConfig(AppConfig):
    """The accounts app, which connects the receivers of migrations and sign-ins."""

    name = "platform_site.accounts"
    verbose_name = _("Users and roles")

    def ready(self) -> None:
        """Connect the receivers: seeding after migrations, which every start runs, and
        sessions."""
        # Models can't be imported earlier.
        from platform_site.accounts.cleaning import (  # noqa: PLC0415 - as said above
            forget_old_sign_ins,
        )
        from platform_site.accounts.receivers import (  # noqa: PLC0415 - as said above
            note_signed_out,
            seed_after_migrate,
        )
        from platform_site.accounts.sessions import (  # noqa: PLC0415 - as said above
            note_beginning,
        )

        register_chore(forget_old_sign_ins)
        user_logged_in.connect(note_beginning, dispatch_uid="platform.accounts.session")
        user_logged_out.connect(
            note_signed_out, dispatch_uid="platform.accounts.signed_out"
        )
        post_migrate.connect(
            seed_after_migrate, sender=self, dispatch_uid="platform.accounts.seeding"
        )
