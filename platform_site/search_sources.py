"""The registry of what the search above all pages finds.

Every installed app may have a module ``search.py``, found as Django finds ``admin.py``,
that calls ``register``.
"""

from __future__ import annotations

import logging
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Final

from django.db import InterfaceError, OperationalError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst

logger = logging.getLogger("platform.search")
LONGEST: Final = 200
MOST_OF_A_KIND: Final = 5
MOST: Final = 30
_MOST_WORDS: Final = 8
# Shorter words are compared with the beginnings of words alone.
SHORTEST_INSIDE: Final = 3


class Rank(IntEnum):
    """How well a row matches; the better ones are listed first."""

    EXACT = 0
    CODE_BEGINS = 1
    NAME_BEGINS = 2
    WORD = 3


@dataclass(frozen=True, slots=True)
class Hit:
    """A row, a page or an action that was found, and where it leads."""

    rank: Rank
    title: str
    link: str
    code: str = ""
    note: str = ""
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found of one kind, the best first, and the list with all of it."""

    title: str
    icon: str
    hits: Sequence[Hit]
    link: str = ""
    # Whether the list may have more than these.
    is_more: bool = False

    @property
    def rank(self) -> Rank:
        """Return the rank of the best hit."""
        return min(hit.rank for hit in self.hits)


@dataclass(slots=True)
class Search:
    """What a person is looking for, and how long that may take.

    Sources that compare many rows stop as soon as ``has_time`` is false, and name what
    they left out in ``unfinished``: titles of kinds, and links to their lists.
    """

    request: HttpRequest
    text: str
    seconds: float
    unfinished: list[tuple[str, str]] = field(default_factory=list)
    _start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.text = cleaned(self.text)

    @property
    def user(self) -> Any:
        """Return the person who searches."""
        return self.request.user

    @property
    def words(self) -> list[str]:
        """Return the words, all of which must match."""
        return self.text.split()[:_MOST_WORDS]

    @property
    def has_time(self) -> bool:
        """Return whether there is time left to compare more rows."""
        return time.monotonic() - self._start < self.seconds

    def rank(self, title: str, code: str = "", *, keywords: str = "") -> Rank | None:
        """Return how well a title and a code match, None if they don't.

        `keywords` are other words by which people look for the same.
        """
        wanted, name, short = self.text.casefold(), title.casefold(), code.casefold()
        if wanted in (short, name):
            return Rank.EXACT
        if short.startswith(wanted):
            return Rank.CODE_BEGINS
        if name.startswith(wanted):
            return Rank.NAME_BEGINS
        known = f"{short} {name} {keywords.casefold()}"
        found = all(_is_in(word.casefold(), known) for word in self.words)
        return Rank.WORD if found else None


@dataclass(frozen=True, slots=True)
class Found:
    """All that a search found, and the kinds of which not all rows were compared."""

    groups: Sequence[Hits]
    unfinished: Sequence[tuple[str, str]]

    @property
    def count(self) -> int:
        """Return the number of hits."""
        return sum(len(group.hits) for group in self.groups)


Source = Callable[[Search], Iterable[Hits]]
_sources: list[tuple[Source, Callable[[Any], bool]]] = []


def register(source: Source, *, seen_by: Callable[[Any], bool]) -> None:
    """Register a function that finds something, and who may find it.

    It is called at nearly every key that somebody presses, so it should take few
    queries, each of them bounded.
    """
    _sources.append((source, seen_by))


def find(search: Search) -> Found:
    """Return what all sources find, the best kinds first.

    Deleted rows are left out if anything else was found.
    """
    if not search.text:
        return Found((), ())
    found = [hits for source in _sources for hits in _read(source, search)]
    live = [_only(hits, deleted=False) for hits in found]
    shown = [hits for hits in live if hits.hits] or found
    shown.sort(key=lambda hits: hits.rank)
    return Found(list(_cut(shown)), search.unfinished)


def cleaned(text: str) -> str:
    """Return what was typed without control characters and needless spaces, at most
    200 characters of it."""
    printable = (
        " " if unicodedata.category(sign).startswith("C") else sign
        for sign in text[:LONGEST]
    )
    return " ".join("".join(printable).split())


def hits_in(
    search: Search,
    rows: QuerySet[Any],
    columns: Sequence[str],
    *,
    icon: str,
    note: Callable[[Any], str] = lambda row: "",
) -> Iterator[Hits]:
    """Yield the rows of a table of a few thousand at most that have every word in one of
    the columns; the first one is the title."""
    for word in search.words:
        found = Q()
        for column in columns:
            found |= Q(**{f"{column}__icontains": word})
        rows = rows.filter(found)
    options = rows.model._meta
    page = f"admin:{options.app_label}_{options.model_name}"
    hits = []
    for row in rows.order_by(columns[0])[: MOST_OF_A_KIND + 1]:
        title, link = (
            str(getattr(row, columns[0])),
            reverse(f"{page}_change", args=[row.pk]),
        )
        rank = search.rank(title)
        hits.append(
            Hit(Rank.WORD if rank is None else rank, title, link, note=note(row))
        )
    hits.sort(key=lambda hit: hit.rank)
    title = str(capfirst(options.verbose_name_plural))
    yield Hits(
        title, icon, hits, list_of(page, search), is_more=len(hits) > MOST_OF_A_KIND
    )


def list_of(page: str, search: Search) -> str:
    """Return the URL of a list with the same search."""
    return f"{reverse(f'{page}_changelist')}?{urlencode({'q': search.text})}"


def _is_in(word: str, text: str) -> bool:
    """Return whether a word begins one of the text, or is inside one if it is long enough."""
    inside = len(word) >= SHORTEST_INSIDE and word in text
    return inside or any(each.startswith(word) for each in text.split())


def _only(hits: Hits, *, deleted: bool) -> Hits:
    return replace(hits, hits=[h for h in hits.hits if h.is_deleted == deleted])


def _cut(groups: Iterable[Hits]) -> Iterator[Hits]:
    """Yield as many hits as people look through, and a few of each kind."""
    left = MOST
    for group in groups:
        shown = group.hits[: min(MOST_OF_A_KIND, left)]
        if not shown:
            return
        left -= len(shown)
        is_more = group.is_more or len(group.hits) > len(shown)
        yield replace(group, hits=shown, is_more=is_more and bool(group.link))


def _read(
    source: tuple[Source, Callable[[Any], bool]], search: Search
) -> Iterator[Hits]:
    """Yield what one source finds; an error in it must not hide the others."""
    find_in, seen_by = source
    try:
        found = list(find_in(search)) if seen_by(search.user) else ()
    except (InterfaceError, OperationalError):
        # Other sources would wait for the same database, one after the other.
        raise
    except Exception:
        # Not what was typed: it is nobody else's business.
        logger.exception("A part of the search failed")
        return
    yield from (hits for hits in found if hits.hits)
