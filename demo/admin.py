"""The admin page of the demo data: what it is, what its removal would delete, and the
button to remove it. For administrators only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from demo.models import DemoInstallation
from demo.removal import Removal, remove_demo_data
from demo.seeding import DemoRefused
from importer import registry
from importer.services import ImportInProgress, LockUnusable
from platform_site.accounts.services import is_administrator
from platform_site.read_only_admin import ReadOnlyAdmin

_MOST_NAMED = 200


@admin.register(DemoInstallation)
class DemoInstallationAdmin(ReadOnlyAdmin):
    """The page of the demo installation, with the removal of its data.

    The row of the marker can't be deleted, or the next start would seed again.
    """

    def changelist_view(
        self, request: HttpRequest, extra_context: Any = None
    ) -> HttpResponse:
        """Show the page; after a form, what was or would be removed."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        removal = self._removal(request) if request.method == "POST" else None
        context = {
            **self.admin_site.each_context(request),
            "title": _("Demo data"),
            "opts": self.opts,
            "installation": DemoInstallation.objects.first(),
            "removal": removal,
            "removed": [
                (_name(catalog), count)
                for catalog, count in (removal.removed.items() if removal else ())
            ],
            "kept": [
                (_name(each.catalog), each.row, each.reason)
                for each in (removal.kept[:_MOST_NAMED] if removal else [])
            ],
            "unnamed": max(0, len(removal.kept) - _MOST_NAMED) if removal else 0,
        }
        return TemplateResponse(request, "demo/installation.html", context)

    def _removal(self, request: HttpRequest) -> Removal | None:
        dry_run = "remove" not in request.POST
        try:
            removal = remove_demo_data(actor=request.user, dry_run=dry_run)
        except (DemoRefused, ImportInProgress, LockUnusable) as refusal:
            messages.error(request, str(refusal))
            return None
        if not dry_run:
            messages.success(request, _("The demo data has been removed."))
        return removal

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user is an administrator."""
        return is_administrator(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return whether this is a demo installation and the user an administrator."""
        return is_administrator(request.user) and DemoInstallation.objects.exists()


def _name(catalog: str) -> str:
    model = registry.targets()[catalog].model
    return capfirst(str(model._meta.verbose_name_plural))
