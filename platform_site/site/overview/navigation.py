"""The places of the import pages in the menu. The engine knows nothing of a menu, so
they are registered here."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from platform_site.navigation import Area, MenuEntry, register

_RUNS = "importer.importrun"

register(
    MenuEntry(Area.IMPORT, _RUNS, "import-page", order=10),
    MenuEntry(Area.IMPORT, _RUNS, "import-table", _("Import a table"), order=20),
)
