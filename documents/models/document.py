"""The base of all documents: number, date, total and posting."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, ClassVar, Self

from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from documents.behaviors.lines import ComputeTotal
from documents.licence_guard import MonthWithinLicence, month_reached
from documents.numbering import AssignNumber
from documents.posting import progress
from documents.posting.movements import Posting
from documents.posting.rights import authorise_settling
from documents.posting.services import settle
from importer import Mark
from importer.targets import Draft, Write
from platform_site.changes.context import current
from platform_site.records.errors import LimitReached, Stale
from platform_site.records.fields import ExactDecimalField
from platform_site.records.models import Record, unique_while_live


class Document(Record):
    """A business transaction that is entered, numbered and posted.

    Every save keeps the registers up to date: a posted document is settled again if its
    postings depend on what has changed, and deleting it removes its entries. Changing
    ``is_active`` posts or unposts it.
    """

    actions = (MonthWithinLicence(), AssignNumber(), ComputeTotal())
    set_by_save = Record.set_by_save | {"total"}
    number_prefix: ClassVar[str] = ""
    # 1 if a line adds to stock, -1 if it takes from it, 0 if it does neither.
    stock_sign: ClassVar[int] = 0
    # The properties from which the total is computed.
    total_of: ClassVar[frozenset[str]] = frozenset()
    # The columns and parts on which postings depend; empty if the kind posts nothing.
    postings_from: ClassVar[frozenset[str]] = frozenset()
    # The reference to the document that this one delivers or pays, if it can.
    settles: ClassVar[str] = ""
    # The columns and parts on which the progress of that one depends, and one's own.
    settles_from: ClassVar[frozenset[str]] = frozenset()
    progress_from: ClassVar[frozenset[str]] = frozenset()

    code = models.CharField(
        _("code"),
        max_length=50,
        blank=True,
        help_text=_("The number of the document. If empty, it gets the next number."),
    )
    date = models.DateTimeField(
        _("date"),
        help_text=_(
            "When the transaction took place. Stock and ledger change at this time."
        ),
    )
    is_active = models.BooleanField(
        _("posted"),
        default=False,
        editable=False,
        help_text=_("Only posted documents change stock and ledger."),
    )
    comment = models.TextField(
        _("comment"), blank=True, help_text=_("A note about the document.")
    )
    total = ExactDecimalField(
        _("total"),
        default=0,
        editable=False,
        help_text=_("The amount of the whole document, computed when it is saved."),
    )

    class Meta(Record.Meta):
        abstract = True
        ordering = ["-date", "-id"]
        constraints = [
            *Record.Meta.constraints,
            unique_while_live("code", "%(app_label)s_%(class)s_code_once"),
        ]
        indexes = [
            # Numbering skips the codes of deleted documents too.
            models.Index(fields=["code"], name="%(app_label)s_%(class)s_code"),
            models.Index(fields=["date"], name="%(app_label)s_%(class)s_date"),
            # The licence counts the documents created in a month.
            models.Index(fields=["created"], name="%(app_label)s_%(class)s_created"),
        ]

    def __str__(self) -> str:
        return self.code

    @staticmethod
    def kinds() -> Iterator[type[Document]]:
        """Yield every kind of document."""
        waiting = [Document]
        while waiting:
            kind = waiting.pop()
            waiting += kind.__subclasses__()
            if not kind._meta.abstract:
                yield kind

    def store(self, draft: Draft, mark: Mark | None) -> None:
        """Write the document, its lines and its register entries.

        Raise Refusal and change nothing if stock would not suffice.
        """
        columns = draft.columns
        was = draft.before is not None and self._lock()
        wanted = self.is_active if "is_active" in columns else was
        self.is_active = wanted and not self.is_deleted
        moved = was and self.is_active and self.moved_by(columns)
        columns |= {"is_active"} if self.is_active != was else set()
        if was and self.is_deleted:
            draft.changes["isActive"] = [True, False]
        columns |= {"total"} if columns & self.total_of else set()
        settled = self._settled_by(draft.before if was else None, columns)
        super().store(draft, mark)
        progress.lock(settled)
        if moved or was != self.is_active:
            settle(self, was=was, active=self.is_active)
        if draft.before is not None and not self.progress_from.isdisjoint(columns):
            settled.append((type(self), self.pk))
        progress.refresh(settled)

    def _settled_by(
        self, before: Self | None, columns: Collection[str]
    ) -> list[progress.Settled]:
        """Return the documents whose progress a write changes; ``before`` is the posted
        state before it, if there is one."""
        after = self if self.is_active else None
        if before and after and self.settles_from.isdisjoint(columns):
            return []
        return progress.settled_by(self.settles, before, after)

    @classmethod
    def progress_of(cls, key: int, *, without: int | None = None) -> dict[str, Any]:
        """Return the columns that tell how far a document is settled by others, of
        which one can be left out."""
        # Used only for kinds that others settle, and each of them overrides it.
        raise NotImplementedError(f"{cls.__name__} is settled by nothing.")

    @classmethod
    def moved_by(cls, columns: Collection[str]) -> bool:
        """Return whether postings depend on any of the given columns and parts."""
        return not cls.postings_from.isdisjoint(columns)

    def keep_references(self, columns: Collection[str] | None) -> None:
        """Keep all references if this write posts the document."""
        posted = columns is not None and "is_active" in columns and self.is_active
        super().keep_references(None if posted else columns)

    @classmethod
    def limits_on(cls, order: Write, *, refused: bool) -> list[LimitReached]:
        """Return the licence limits that a user's write exceeds.

        The save itself checks the monthly limit; here it is checked only to be reported
        together with other refusals.
        """
        if not refused or order.row is not None or current().run_id is not None:
            return []
        with transaction.atomic():
            reached = month_reached(cls.kinds())
        return [] if reached is None else [reached]

    def _lock(self) -> bool:
        """Lock the row until the transaction ends; return whether it is posted."""
        rows = type(self)._base_manager.select_for_update(no_key=True)
        return any(rows.filter(pk=self.pk).values_list("is_active", flat=True))

    def withdraw(self) -> None:
        """Unpost the document before it is erased.

        Raise Stale if it was posted or unposted since it was read, because the rights
        were checked for the state that was read.
        """
        if self._lock() is not self.is_active:
            raise Stale
        if self.is_active:
            settled = progress.settled_by(self.settles, self)
            progress.lock(settled)
            settle(self, was=True, active=False)
            progress.refresh(settled, without=self.pk)

    def authorise_write(
        self, actor: Any, before: Self | None, columns: Collection[str]
    ) -> None:
        """Refuse to settle a posted document again without the rights to post and
        unpost."""
        if before is not None and before.is_active and self.moved_by(columns):
            authorise_settling(self, actor, "unpost", "post")

    def authorise_removal(self, actor: Any) -> None:
        """Refuse to delete a posted document without the right to unpost it."""
        if self.is_active:
            authorise_settling(self, actor, "unpost")

    def compute_total(self) -> None:
        """Set the total; documents without amounts have none."""

    def postings(self, cost: Any) -> list[Posting]:
        """Return the ledger postings; ``cost`` is that of the stock issued."""
        return []

    @property
    def ledger_currency_id(self) -> int:
        """Return the key of the currency of the document's amounts."""
        # Used only for kinds that post, and each of them overrides it.
        raise NotImplementedError(f"{type(self).__name__} posts nothing.")
