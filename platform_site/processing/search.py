"""What the search above all pages finds here: the data processors that a person may
execute."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from platform_site.processing.services import about, allowed_processors
from platform_site.search_sources import Hit, Hits, Search, register


def data_processors(search: Search) -> Iterator[Hits]:
    """Yield the data processors whose title, name or description match."""
    hits = []
    for processor in allowed_processors(search.user):
        said = about(processor)
        rank = search.rank(said.title, said.name, keywords=said.description)
        if rank is not None:
            link = reverse("processor", args=[said.name])
            hits.append(Hit(rank, said.title, link))
    hits.sort(key=lambda hit: hit.rank)
    yield Hits(_("Data processors"), "cpu", hits, reverse("processors"))


register(data_processors, seen_by=lambda user: user.is_staff)
