"""What the search above all pages finds besides rows: pages of the menu, actions that
make something new, and runs of packages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Q
from django.urls import NoReverseMatch, reverse
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from importer import registry
from importer.models import ImportRun
from platform_site import navigation
from platform_site.search_sources import (
    MOST_OF_A_KIND,
    SHORTEST_INSIDE,
    Hit,
    Hits,
    Rank,
    Search,
    register,
)

_KEY_DIGITS: Final = 32
# Fewer digits would find runs by chance.
_FEWEST_DIGITS: Final = 4


def pages(search: Search) -> Iterator[Hits]:
    """Yield the pages of the menu, and what can be made new on them."""
    apps = admin.site.get_app_list(search.request)
    listed = [each for app in apps for each in app["models"]]
    found, actions = [], []
    # Words by which people look for these actions.
    new = _("new add create")
    for each in listed:
        rank = search.rank(str(each["name"]))
        if rank is not None and each["admin_url"]:
            found.append(Hit(rank, str(each["name"]), each["admin_url"]))
        kind = str(each["model"]._meta.verbose_name)
        title = str(capfirst(_("New %(kind)s") % {"kind": kind}))
        rank = search.rank(title, keywords=f"{new} {kind}")
        if rank is not None and each["add_url"]:
            actions.append(Hit(rank, title, each["add_url"]))
    found += _others(search, {hit.link for hit in found})
    for title, icon, hits in (
        (_("Actions"), "plus", actions),
        (_("Pages"), "panel-left", found),
    ):
        yield Hits(title, icon, sorted(hits, key=lambda hit: hit.rank))


def runs(search: Search) -> Iterator[Hits]:
    """Yield runs by the name of their package, or by the beginning of their number."""
    found = Q()
    if len(search.text) >= SHORTEST_INSIDE:
        found |= Q(package__icontains=search.text, dry_run=False)
    digits = search.text.replace("-", "").casefold()
    if _FEWEST_DIGITS <= len(digits) <= _KEY_DIGITS and _is_hexadecimal(digits):
        first, last = digits.ljust(_KEY_DIGITS, "0"), digits.ljust(_KEY_DIGITS, "f")
        found |= Q(run_id__gte=UUID(first), run_id__lte=UUID(last))
    if not found:
        return
    page = reverse("import-page")
    newest = ImportRun.objects.listed().filter(found).order_by("-started_at")
    hits = [_run(search, page, run) for run in newest[: MOST_OF_A_KIND + 1]]
    yield Hits(_("Imports"), "import", hits, page)


def _run(search: Search, page: str, run: ImportRun) -> Hit:
    title = run.package or _("Import")
    rank = search.rank(title, str(run.run_id))
    if rank is None:
        rank = search.rank(title, run.run_id.hex)
    at = date_format(localtime(run.started_at), "SHORT_DATETIME_FORMAT")
    note = " · ".join((_("Dry run"), at) if run.dry_run else (at,))
    link = f"{page}?run={run.run_id}"
    return Hit(
        Rank.WORD if rank is None else rank, title, link, str(run.run_id)[:8], note
    )


def _others(search: Search, known: set[str]) -> Iterator[Hit]:
    """Yield the pages that are no lists of rows."""
    own = [
        navigation.MenuEntry(navigation.Area.ADMINISTRATION, url_name=name, title=title)
        for name, title in (
            ("admin:index", _("Overview")),
            ("notifications", _("Notifications")),
            ("admin:password_change", _("Change password")),
        )
    ]
    for entry in (*navigation.registered(), *own):
        title = str(entry.title)
        rank = search.rank(title) if entry.url_name else None
        if rank is None or (entry.seen_by and not entry.seen_by(search.user)):
            continue
        try:
            link = reverse(entry.url_name)
        except NoReverseMatch:
            continue
        if link not in known:
            known.add(link)
            yield Hit(rank, title, link)


def _is_hexadecimal(text: str) -> bool:
    return all(sign in "0123456789abcdef" for sign in text)


register(pages, seen_by=lambda user: user.is_staff)
register(runs, seen_by=registry.may_import)
