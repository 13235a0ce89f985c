"""The documents that a dry run would have posted so far, for rules of catalog rows that
posted documents use."""

from __future__ import annotations

from datetime import datetime
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet

from documents.models import BankReceipt, DocumentWithLines
from platform_site.records.usage import MOST_NAMED

# Documents that the run would create get higher keys than all others.
_NEW = 1 << 62
_Named = tuple[datetime, int, str]
_newest = itemgetter(0, 1)


class PlannedUses:
    """The documents of a dry run that are posted, by the catalog rows that they fix.

    Of each row it keeps the number of documents, and the newest that a message names.
    """

    def __init__(self) -> None:
        self._written: dict[type[Any], list[int]] = {}
        self._counts: dict[tuple[type[Any], int], int] = {}
        self._named: dict[tuple[type[Any], int], list[_Named]] = {}

    def note(self, document: Any, *, was: bool, active: bool) -> None:
        """Note a written document that was posted or is now."""
        kind = type(document)
        if was:
            self._written.setdefault(kind, []).append(document.pk)
        if not active:
            return
        number = document.pk if document.pk > 0 else _NEW - document.pk
        named = (document.date, number, document.code)
        for row_id in _fixed_by(document):
            use = kind, row_id
            self._counts[use] = self._counts.get(use, 0) + 1
            newest = sorted([*self._named.get(use, ()), named], key=_newest)
            self._named[use] = newest[-MOST_NAMED:]

    def added_to(self, stored: QuerySet[Any], row_id: int) -> UsesOfRow:
        """Return the stored posted documents of a kind that name a row, corrected by
        what the run would have written."""
        kind = stored.model
        written = self._written.get(kind)
        if written:
            stored = stored.exclude(pk__one_of=written)
        use = kind, row_id
        return UsesOfRow(stored, self._counts.get(use, 0), self._named.get(use, []))


class UsesOfRow:
    """The posted documents of one kind that name a row, newest first, for
    `platform_site.records.usage.first_of`."""

    def __init__(self, stored: QuerySet[Any], count: int, named: list[_Named]) -> None:
        self.model = stored.model
        self._stored = stored
        self._count = count
        self._named = named

    def __getitem__(self, places: slice) -> list[Any]:
        found = [(row.date, row.pk, row) for row in self._stored[places]]
        for date, number, code in self._named:
            found.append((date, number, self.model(date=date, code=code)))
        found.sort(key=_newest, reverse=True)
        return [row for _date, _number, row in found[places]]

    def count(self) -> int:
        """Return the number of all documents."""
        return self._stored.count() + self._count


def _fixed_by(document: Any) -> set[int]:
    """Return the stored catalog rows that can't change while a document is posted."""
    found: set[int] = set()
    if isinstance(document, DocumentWithLines):
        found = {line["item_id"] for line in document.lines}
    elif isinstance(document, BankReceipt):
        found = {document.bank_account_id}
    # A planned row isn't written again.
    return {row_id for row_id in found if row_id > 0}
