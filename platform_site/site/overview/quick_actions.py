"""The first steps of apps that don't know the start page: imports and the demo."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from demo.models import DemoInstallation
from importer.registry import may_import
from platform_site.accounts.services import is_administrator
from platform_site.quick_actions import QuickAction, register


def _may_load_demo(user: Any) -> bool:
    return is_administrator(user) and not DemoInstallation.objects.exists()


register(
    QuickAction(
        _("Load the demo company"),
        "import-page",
        "building-2",
        _may_load_demo,
        _("Look around in a small company with three months of trade."),
        order=10,
    ),
    QuickAction(
        _("Import a table"),
        "import-table",
        "file-spreadsheet",
        may_import,
        _("Bring your items, customers or prices from a CSV or Excel file."),
        order=20,
    ),
    QuickAction(
        _("Import a package"),
        "import-page",
        "import",
        may_import,
        _("Apply a JSON package; a dry run shows first what it would change."),
        order=30,
    ),
)
