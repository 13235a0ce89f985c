"""The system page, and its backups."""

from __future__ import annotations

import logging
from typing import Any, Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from platform_site.accounts.services import is_administrator
from platform_site.accounts.time_zones import zone_of
from platform_site.notifications.mails import mail_server
from platform_site.settings.configuration import active
from platform_site.settings.effective_rows import setting_warnings
from platform_site.site.archives.service import start_backup
from platform_site.site.host.recent_lines import recent_lines
from platform_site.site.system import state
from platform_site.site.system.backups import backup_context, backup_file
from platform_site.site.system.health_checks import health_checks, worst

logger = logging.getLogger("platform.system")
LEVELS: Final = {
    "": logging.NOTSET,
    "WARNING": logging.WARNING,
    "ERROR": logging.ERROR,
}


@require_safe
def system_page(request: HttpRequest) -> HttpResponse:
    """Show the state of the installation."""
    _administrators_only(request)
    reader: Any = request.user
    level = request.GET.get("level", "")
    level = level if level in LEVELS else ""
    configuration = active()
    with timezone.override(zone_of(reader)):
        checks = health_checks()
        context = {
            **admin.site.each_context(request),
            "title": _("System"),
            "figures": state.figures(),
            "checks": checks,
            "state": worst(checks),
            **backup_context(configuration),
            "settings": state.settings_rows(configuration),
            "warnings": setting_warnings(configuration),
            "lines": recent_lines(LEVELS[level]),
            "level": level,
            "levels": [
                ("", _("all")),
                ("WARNING", _("warnings")),
                ("ERROR", _("errors")),
            ],
            "mail_server": mail_server(),
        }
        return render(request, "system/page.html", context)


@require_safe
def backups(request: HttpRequest) -> HttpResponse:
    """Show the section of backups, which asks again while one is being made."""
    _administrators_only(request)
    reader: Any = request.user
    with timezone.override(zone_of(reader)):
        return render(request, "system/_backups.html", backup_context(active()))


@require_POST
def backup_now(request: HttpRequest) -> HttpResponse:
    """Begin to make an archive of the whole installation."""
    _administrators_only(request)
    if start_backup(active()):
        logger.warning("%s asked for a backup.", request.user)
        text = _("The backup has begun; it is listed here when it is complete.")
        messages.success(request, text)
    else:
        messages.info(request, _("A backup is being made already."))
    return redirect(f"{reverse('system')}#backups-title")


@require_safe
def download(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a backup, which has everything that the installation has."""
    _administrators_only(request)
    path = backup_file(active(), name)
    if path is None:
        raise Http404(_("There is no such backup."))
    logger.warning("%s downloads the backup %s.", request.user, name)
    return FileResponse(path.open("rb"), as_attachment=True, filename=name)


def _administrators_only(request: HttpRequest) -> None:
    if not is_administrator(request.user):
        raise PermissionDenied
