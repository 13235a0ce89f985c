"""The menu beside all pages: the work areas with the pages that a user may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from platform_site.navigation import Area, MenuEntry, Text, registered

# Areas of apps without entries have it, and follow this area.
_ICON_OF_APPS = "layers"
_APPS_FOLLOW = Area.CATALOGS


@dataclass(slots=True)
class MenuPage:
    """A page in the menu."""

    title: Text
    url: str
    is_current: bool = False


@dataclass(slots=True)
class MenuArea:
    """A work area with its pages; `name` is the same in every language."""

    name: str
    title: Text
    icon: str
    pages: list[MenuPage] = field(default_factory=list)

    @property
    def is_current(self) -> bool:
        """Return whether one of the pages is the current one."""
        return any(page.is_current for page in self.pages)


def menu_of(request: HttpRequest, apps: Iterable[dict[str, Any]]) -> list[MenuArea]:
    """Return the areas with pages for the user of the request.

    `apps` is Django's list of the apps and models that the user may see, so that the
    menu has the rights of the lists, and takes no queries of its own.
    """
    apps = list(apps)
    models = {
        model["model"]._meta.label_lower: model
        for app in apps
        for model in app["models"]
    }
    areas = [MenuArea(area.name.lower(), area.title, area.icon) for area in Area]
    by_area = dict(zip(Area, areas, strict=True))
    for entry in registered():
        page = _page(entry, models, request.user)
        if page is not None:
            by_area[entry.area].pages.append(page)
    taken = {entry.model for entry in registered()}
    after = areas.index(by_area[_APPS_FOLLOW]) + 1
    areas[after:after] = _areas_of_apps(apps, taken)
    shown = [area for area in areas if area.pages]
    _mark_current(shown, request.path)
    return shown


def _page(entry: MenuEntry, models: dict[str, Any], user: Any) -> MenuPage | None:
    """Return the page of an entry, None if the user may not see it."""
    model = models.get(entry.model)
    if entry.model and model is None:
        return None
    if entry.seen_by is not None and not entry.seen_by(user):
        return None
    url = _address(entry.url_name) if entry.url_name else (model or {})["admin_url"]
    title = entry.title or (model or {})["name"]
    return MenuPage(title, url) if url else None


def _address(url_name: str) -> str:
    """Return the address of a page, empty if the installation doesn't have it."""
    try:
        return reverse(url_name)
    except NoReverseMatch:
        return ""


def _areas_of_apps(
    apps: Iterable[dict[str, Any]], taken: set[str]
) -> Iterator[MenuArea]:
    """Yield an area for each app with models that no entry names."""
    for app in apps:
        pages = [
            MenuPage(model["name"], model["admin_url"])
            for model in app["models"]
            if model["model"]._meta.label_lower not in taken and model["admin_url"]
        ]
        yield MenuArea(f"app-{app['app_label']}", app["name"], _ICON_OF_APPS, pages)


def _mark_current(areas: Iterable[MenuArea], path: str) -> None:
    """Mark the page whose address is the longest beginning of a path."""
    above = [page for area in areas for page in area.pages if _is_above(page.url, path)]
    if above:
        max(above, key=lambda page: len(page.url)).is_current = True


def _is_above(url: str, path: str) -> bool:
    folder = url.rstrip("/")
    return path.rstrip("/") == folder or path.startswith(f"{folder}/")
