"""The app of the uploaded files."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FilesConfig(AppConfig):
    """The app of the uploaded files."""

    name = "platform_site.files"
    verbose_name = _("Files")
