"""Sentences of Django's admin that contain the name of a model, listed for translation
so that they fit nouns of any gender and case."""

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
