"""Sentences of Django's administration that put the name of a catalog into themselves,
listed for our language files: there they fit nouns of every gender and case."""

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
