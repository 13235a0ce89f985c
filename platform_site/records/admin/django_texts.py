"""Texts of Django's admin that are translated here: sentences with the name of a model,
so that they fit nouns of any gender and case, and what Django says in other words than we
do, or in English only."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final = (
    _("Select %s"),
    _("Select %s to change"),
    _("Select %s to view"),
    _("Add %s"),
    _("Change %s"),
    _("View %s"),
    _("Add %(name)s"),
    _("Add another %(verbose_name)s"),
    _("The {name} “{obj}” was added successfully."),
    _("The {name} “{obj}” was added successfully. You may add another {name} below."),
    _("The {name} “{obj}” was changed successfully."),
    _("The {name} “{obj}” was changed successfully. You may edit it again below."),
    _("The {name} “{obj}” was changed successfully. You may add another {name} below."),
)
BUTTONS: Final = (
    _("Save and add another"),
    _("Save and continue editing"),
    _("Save and view"),
)
PASSWORDS: Final = (
    _("Reset password"),
    _("Set password"),
    _("Set password: %s"),
    _("Raw passwords are not stored, so there is no way to see the user’s password."),  # noqa: RUF001
    _("Password-based authentication"),
    _("Enabled"),
    _("Disabled"),
    _("Enable password-based authentication"),
    _("Disable password-based authentication"),
    _("Password-based authentication was disabled."),
    _("Conflicting form data submitted. Please try again."),
)
