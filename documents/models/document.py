"""What every document has: a number, a date, a total, and whether it is posted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, ClassVar, Self

from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from documents.behaviors.lines import ComputeTotal
from documents.licence_guard import MonthWithinLicence, month_reached
from documents.numbering import AssignNumber
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
    """Something that happened in the business, entered, numbered and posted.

    Every save keeps the registers right: a posted document is settled anew when what
    its postings follow from has changed, a deleted one leaves no trace in them.
    Saving another ``is_active`` posts it, or takes back what it posted.
    """

    actions = (MonthWithinLicence(), AssignNumber(), ComputeTotal())
    set_by_save = Record.set_by_save | {"total"}
    number_prefix: ClassVar[str] = ""
    # 1 where a line comes to the stock, -1 where it leaves it, 0 where it does neither.
    stock_sign: ClassVar[int] = 0
    # The properties the total follows from.
    total_of: ClassVar[frozenset[str]] = frozenset()
    # The columns and parts its postings follow from; a kind that posts nothing has none.
    postings_from: ClassVar[frozenset[str]] = frozenset()

    code = models.CharField(_("code"), max_length=50, blank=True)
    date = models.DateTimeField(_("date"))
    is_active = models.BooleanField(_("posted"), default=False, editable=False)
    comment = models.TextField(_("comment"), blank=True)
    total = ExactDecimalField(
        _("total"), max_digits=18, decimal_places=4, default=0, editable=False
    )

    class Meta(Record.Meta):
        abstract = True
        ordering = ["-date", "-id"]
        constraints = [
            *Record.Meta.constraints,
            unique_while_live("code", "%(app_label)s_%(class)s_code_once"),
        ]
        indexes = [
            # Numbering passes over the codes of deleted documents too.
            models.Index(fields=["code"], name="%(app_label)s_%(class)s_code"),
            models.Index(fields=["date"], name="%(app_label)s_%(class)s_date"),
            # The licence counts what was created in a month.
            models.Index(fields=["created"], name="%(app_label)s_%(class)s_created"),
        ]

    def __str__(self) -> str:
        return self.code

    @staticmethod
    def kinds() -> Iterator[type[Document]]:
        """Yield every kind of document there is."""
        waiting = [Document]
        while waiting:
            kind = waiting.pop()
            waiting += kind.__subclasses__()
            if not kind._meta.abstract:
                yield kind

    def store(self, draft: Draft, mark: Mark | None) -> None:
        """Write the document with its lines and what it posts.

        Refusal, with everything as before, if stock would not suffice.
        """
        columns = draft.columns
        was = draft.before is not None and self._lock()
        wanted = self.is_active if "is_active" in columns else was
        self.is_active = wanted and not self.is_deleted
        moved = was and self.is_active and self.moved_by(columns)
        columns |= {"is_active"} if self.is_active != was else set()
        columns |= {"total"} if columns & self.total_of else set()
        super().store(draft, mark)
        if moved or was != self.is_active:
            settle(self, was=was, active=self.is_active)

    @classmethod
    def moved_by(cls, columns: Collection[str]) -> bool:
        """Tell whether postings follow from any of some columns and parts."""
        return not cls.postings_from.isdisjoint(columns)

    def keep_references(self, columns: Collection[str] | None) -> None:
        """Ask for all of them where the document is posted by this write."""
        posted = columns is not None and "is_active" in columns and self.is_active
        super().keep_references(None if posted else columns)

    @classmethod
    def limits_on(cls, order: Write, *, refused: bool) -> list[LimitReached]:
        """Return what the licence has against a write by hand.

        The month is counted by the save itself; before, only to be told with the rest.
        """
        if not refused or order.row is not None or current().run_id is not None:
            return []
        with transaction.atomic():
            reached = month_reached(cls.kinds())
        return [] if reached is None else [reached]

    def _lock(self) -> bool:
        """Hold the row until the transaction ends; return whether it is posted now."""
        rows = type(self)._base_manager.select_for_update(no_key=True)
        return any(rows.filter(pk=self.pk).values_list("is_active", flat=True))

    def withdraw(self) -> None:
        """Take back what the document posted, before it is erased.

        Stale if it was posted or taken back since it was read: rights depend on that.
        """
        if self._lock() is not self.is_active:
            raise Stale
        if self.is_active:
            settle(self, was=True, active=False)

    def authorise_write(
        self, actor: Any, before: Self | None, columns: Collection[str]
    ) -> None:
        """Refuse to settle a posted document anew without the rights for both halves."""
        if before is not None and before.is_active and self.moved_by(columns):
            authorise_settling(self, actor, "unpost", "post")

    def authorise_removal(self, actor: Any) -> None:
        """Refuse to delete a posted document without the right to take it back."""
        if self.is_active:
            authorise_settling(self, actor, "unpost")

    def compute_total(self) -> None:
        """Set the total from what the document says."""

    def postings(self, cost: Any) -> list[Posting]:
        """Return what the document means for the ledger; ``cost`` left the stock."""
        return []

    @property
    def ledger_currency_id(self) -> int:
        """Return the key of the currency the document's amounts are in."""
        # Asked only of documents that post; each kind of them says it itself.
        raise NotImplementedError(f"{type(self).__name__} posts nothing.")
