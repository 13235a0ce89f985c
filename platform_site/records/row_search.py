"""The search in all business rows at once: by code with the indexes of codes, by name as
far as the time of the search allows.

One statement asks about all kinds, whatever their number: each part of it returns a few
keys. The rows are read afterwards by the query of their pages, so that nobody finds what
those pages hide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any, Final

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.text import capfirst

from platform_site.records.row_keys import (
    KeyCondition,
    KeyPart,
    begins,
    column,
    compared,
    contains,
    is_deleted,
    keys_of,
)
from platform_site.records.row_links import page_of_row
from platform_site.search_sources import (
    MOST_OF_A_KIND,
    SHORTEST_INSIDE,
    Hit,
    Hits,
    Rank,
    Search,
    list_of,
)

# One more than is shown tells whether there are more.
_FEW: Final = MOST_OF_A_KIND + 1
# So many names are compared by one statement, between two looks at the clock.
NAMES_AT_ONCE: Final = 25_000
# No code has this sign, and every database puts it after all others.
_LAST_SIGN: Final = "\U0010ffff"


@dataclass(slots=True, eq=False)
class Kind:
    """A kind of rows that the person may view, and the keys found so far."""

    pages: Any
    rows: QuerySet[Any]
    icon: str
    # Live rows and deleted ones.
    keys: dict[int, bool] = field(default_factory=dict)

    @property
    def model(self) -> type[Any]:
        """Return the model of the rows."""
        return self.rows.model

    @property
    def title(self) -> str:
        """Return what the rows are called."""
        return str(capfirst(self.model._meta.verbose_name_plural))

    @property
    def url(self) -> str:
        """Return the beginning of the names of the pages' URLs."""
        options = self.model._meta
        return f"{admin.site.name}:{options.app_label}_{options.model_name}"

    @property
    def key(self) -> str:
        """Return the column of the key as SQL."""
        return column(self.model, self.model._meta.pk.name)

    @property
    def newest(self) -> KeyCondition:
        """Return the order in which the newest rows come first."""
        return KeyCondition(f"{self.key} DESC")

    @property
    def is_enough(self) -> bool:
        """Return whether more live rows are known than will be shown."""
        return sum(not deleted for deleted in self.keys.values()) > MOST_OF_A_KIND

    @property
    def columns(self) -> list[str]:
        """Return the columns with text that the list of the kind searches."""
        own = {f.name for f in self.model._meta.concrete_fields}
        names = [name.lstrip("^=@") for name in self.pages.search_fields]
        return [name for name in names if name in own]

    @property
    def code(self) -> str:
        """Return the column of the code, empty if there is none."""
        return "code" if "code" in self.columns else ""

    @property
    def name(self) -> str:
        """Return the column of the name, that of the code if there is no other."""
        return next((c for c in self.columns if c != self.code), self.code)

    @property
    def newest_first(self) -> bool:
        """Return whether the list of the kind begins with the newest rows."""
        order = self.model._meta.ordering or ("",)
        return str(order[0]).startswith("-")


def found_rows(search: Search, kinds: Sequence[Kind]) -> Iterator[Hits]:
    """Yield the rows of each kind that match: live ones, or deleted ones if nothing
    else does."""
    _find_codes(search, kinds, deleted=False)
    if not any(kind.keys for kind in kinds):
        _find_codes(search, kinds, deleted=True)
    if _worth_comparing(search, kinds):
        _find_names(search, kinds)
    for kind in kinds:
        if kind.keys:
            yield _hits(search, kind)


# -- codes ------------------------------------------------------------------------------


def _find_codes(search: Search, kinds: Sequence[Kind], *, deleted: bool) -> None:
    """Find rows whose code is, or begins with, what was typed in the usual spellings."""
    spellings = list(
        dict.fromkeys((search.text, search.text.upper(), search.text.lower()))
    )
    asked = [
        (kind, part)
        for kind in kinds
        if kind.code
        for part in _by_code(search, kind, spellings, deleted=deleted)
    ]
    _note(asked)


def _by_code(
    search: Search, kind: Kind, spellings: Sequence[str], *, deleted: bool
) -> Iterator[KeyPart]:
    """Yield questions that an index of codes answers.

    A range finds the beginning under every collation; LIKE uses an index under few.
    """
    code, model = column(kind.model, kind.code), kind.model
    live = is_deleted(model, deleted=deleted)
    order = KeyCondition(f"{code} DESC" if kind.newest_first else code)
    for text in (*spellings, *kind.pages.codes_meant(search.text)):
        yield KeyPart(model, live & compared(code, "=", text), order, _FEW)
    for text in spellings:
        within = compared(code, ">=", text) & compared(code, "<=", text + _LAST_SIGN)
        yield KeyPart(model, live & within, order, _FEW)


# -- names ------------------------------------------------------------------------------


def _worth_comparing(search: Search, kinds: Sequence[Kind]) -> bool:
    """Return whether names should be compared: not with two letters, nor if letters and
    digits were typed with which a code begins."""
    if max(map(len, search.words)) < SHORTEST_INSIDE:
        return False
    has_digits = any(sign.isdigit() for sign in search.text)
    is_code = has_digits and not search.text.isdigit()
    return not (is_code and any(kind.keys for kind in kinds))


def _find_names(search: Search, kinds: Sequence[Kind]) -> None:
    """Compare the names of all kinds, the newest rows first, in slices while there is
    time; note the kinds that were not compared to their ends."""
    waiting: list[tuple[Kind, int | None]] = [
        (kind, None) for kind in kinds if not kind.is_enough
    ]
    while waiting:
        ends = _ends(waiting, NAMES_AT_ONCE // len(waiting))
        _note(
            [
                (kind, _matching(search, kind, above=ends.get(kind), below=below))
                for kind, below in waiting
            ]
        )
        waiting = [(kind, end) for kind, end in ends.items() if not kind.is_enough]
        if not search.has_time:
            break
    search.unfinished += [
        (kind.title, list_of(kind.url, search)) for kind, _ in waiting
    ]


def _ends(
    waiting: Sequence[tuple[Kind, int | None]], share: int
) -> dict[Kind, int | None]:
    """Return the key of the last row of each slice; a kind's last slice has none."""
    parts = [
        KeyPart(kind.model, _between(kind, None, below), kind.newest, 1, skipped=share)
        for kind, below in waiting
    ]
    return {waiting[at][0]: key for at, key, _deleted in keys_of(parts)}


def _between(kind: Kind, above: int | None, below: int | None) -> KeyCondition:
    """Return the condition that a row is in a slice."""
    found = KeyCondition("1 = 1")
    if above is not None:
        found &= compared(kind.key, ">", above)
    if below is not None:
        found &= compared(kind.key, "<=", below)
    return found


def _matching(
    search: Search, kind: Kind, *, above: int | None, below: int | None
) -> KeyPart:
    """Return the question for the best rows of a slice that have every word."""
    found = _between(kind, above, below)
    for word in search.words:
        # Numbers are looked for everywhere: in bar codes and tax numbers too.
        is_name = not any(sign.isdigit() or sign == "@" for sign in word)
        names = [kind.name] if is_name else kind.columns
        found &= reduce(or_, (contains(column(kind.model, n), word) for n in names))
    first = begins(column(kind.model, kind.name), search.text)
    order = (
        f"{column(kind.model, 'is_deleted')}, CASE WHEN {first.sql} THEN 0 ELSE 1 END"
    )
    order += f", {kind.newest.sql}"
    return KeyPart(kind.model, found, KeyCondition(order, first.values), _FEW)


def _note(asked: Sequence[tuple[Kind, KeyPart]]) -> None:
    for at, key, deleted in keys_of([part for _kind, part in asked]):
        asked[at][0].keys[key] = deleted


# -- what is shown ------------------------------------------------------------------------


def _hits(search: Search, kind: Kind) -> Hits:
    related = kind.pages.list_select_related
    rows = kind.rows.filter(pk__in=list(kind.keys))
    if related and not isinstance(related, bool):
        rows = rows.select_related(*related)
    meant = set(kind.pages.codes_meant(search.text))
    found = [
        (row, _hit(search, kind, row, page_of_row(type(row), row.pk), meant))
        for row in rows.order_by()
    ]
    found.sort(key=lambda pair: _order(kind, *pair))
    hits = [hit for _row, hit in found]
    is_more = len(hits) > MOST_OF_A_KIND
    return Hits(kind.title, kind.icon, hits, list_of(kind.url, search), is_more=is_more)


def _hit(search: Search, kind: Kind, row: Any, link: str, meant: set[str]) -> Hit:
    code = str(getattr(row, kind.code)) if kind.code else ""
    title = str(getattr(row, kind.name)) if kind.name != kind.code else ""
    rank = search.rank(title, code)
    if rank in (None, Rank.WORD) and code in meant:
        rank = Rank.CODE_BEGINS
    note = kind.pages.note_in_search(row)
    rank = Rank.WORD if rank is None else rank
    return Hit(rank, title or str(row), link, code, note, row.is_deleted)


def _order(kind: Kind, row: Any, hit: Hit) -> tuple[Any, ...]:
    """Return what the hits of a kind are ordered by: in documents the newest first."""
    if kind.newest_first:
        return hit.is_deleted, hit.rank, -row.pk
    return hit.is_deleted, hit.rank, hit.code.casefold(), hit.title.casefold()
