"""The registry of the menu: work areas, and the pages in each of them.

Every installed app may have a module ``navigation.py``, found as Django finds
``admin.py``, that calls ``register``. Apps that don't are listed in a work area with the
name of the app.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


class Area(Enum):
    """A work area of the menu: its title and its icon, in the order of the menu."""

    SALES = (_("Sales"), "shopping-cart")
    PURCHASING = (_("Purchasing"), "truck")
    STOCK = (_("Stock"), "warehouse")
    MONEY = (_("Money"), "landmark")
    CATALOGS = (_("Catalogs"), "book-open")
    IMPORT = (_("Import"), "import")
    AUTOMATION = (_("Automation"), "workflow")
    ADMINISTRATION = (_("Administration"), "settings")

    @property
    def title(self) -> Text:
        """Return the title of the area."""
        return self.value[0]

    @property
    def icon(self) -> str:
        """Return the name of the area's icon."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A page in the menu.

    `model` names a registered admin list as ``app_label.model``: the entry has its
    address, title and rights, unless `url_name` or `title` says otherwise. Without a
    model, `url_name`, `title` and `seen_by` describe the page. Entries of an area are
    listed by `order`.
    """

    area: Area
    model: str = ""
    url_name: str = ""
    title: Text = ""
    seen_by: Callable[[Any], bool] | None = None
    order: int = 100


_entries: list[MenuEntry] = []


def register(*entries: MenuEntry) -> None:
    """Add pages to the menu."""
    _entries.extend(entries)


def registered() -> list[MenuEntry]:
    """Return the pages of the menu in its order."""
    areas = list(Area)
    return sorted(_entries, key=lambda entry: (areas.index(entry.area), entry.order))
