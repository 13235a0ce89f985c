"""The base of documents with lines, and of the lines."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Counterparty, Currency, Item
from documents.behaviors.lines import AmountsFit, KeepLines, LinesNameItems
from documents.licence_guard import lines_reached
from documents.models.document import Document
from documents.posting.movements import PLACES, line_amount, total
from importer.targets import Write
from platform_site.records.errors import LimitReached
from platform_site.records.fields import ExactDecimalField, reference
from platform_site.records.models import PartRow


class DocumentWithLines(Document):
    """A document with lines about items, a counterparty and one currency."""

    rules = (LinesNameItems(), AmountsFit())
    parts = (KeepLines(),)
    total_of = frozenset({"lines"})

    counterparty = reference(
        Counterparty, _("counterparty"), help_text=_("The customer or supplier.")
    )
    currency = reference(
        Currency,
        _("currency"),
        help_text=_("The currency of all prices and amounts of the document."),
    )

    class Meta(Document.Meta):
        abstract = True

    _lines: list[dict[str, Any]] | None = None

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Return the columns of each line, in order; loaded once and not changed in
        place."""
        if self._lines is None:
            if self.pk is None or self.pk < 0:
                return []
            self.parts[0].load([self])
        return self._lines or []

    @lines.setter
    def lines(self, lines: list[dict[str, Any]]) -> None:
        self._lines = lines

    @property
    def has_lines(self) -> bool:
        """Return whether the lines are loaded."""
        return self._lines is not None

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Any] | None = None,
    ) -> None:
        """Reload the row; its lines are reloaded when they are next used.

        Reloading single fields, as Django does for deferred ones, keeps the lines.
        """
        super().refresh_from_db(using, fields, from_queryset)
        if fields is None:
            self._lines = None

    @classmethod
    def line_model(cls) -> type[Line]:
        """Return the model of the document's lines."""
        relation: Any = cls._meta.get_field("line_rows")
        model: type[Line] = relation.related_model
        return model

    @classmethod
    def limits_on(cls, order: Write, *, refused: bool) -> list[LimitReached]:
        """Return the licence limits that a write exceeds, including lines per
        document."""
        reached = lines_reached(order)
        if reached is None:
            return super().limits_on(order, refused=refused)
        return [reached, *super().limits_on(order, refused=True)]

    def compute_total(self) -> None:
        """Set the total: the sum of the line amounts."""
        lines = self.lines
        self.total = total(line_amount(ln["quantity"], ln["price"]) for ln in lines)

    @property
    def ledger_currency_id(self) -> int:
        """Return the key of the document's currency."""
        return self.currency_id


class Line(PartRow):
    """One line of a document: quantity and price of an item."""

    # References in a line count as those of its document.
    part_of: ClassVar[str] = "document"
    # The columns with a line's own values.
    said: ClassVar[tuple[str, ...]] = ("item_id", "quantity", "price")

    number = models.PositiveIntegerField(
        _("number"), help_text=_("The position of the line, counted from 1.")
    )
    item = models.ForeignKey(
        Item,
        on_delete=models.PROTECT,
        limit_choices_to={"is_folder": False, "is_deleted": False},
        verbose_name=_("item"),
        help_text=_("The item of this line. Folders can't be chosen."),
    )
    quantity = ExactDecimalField(
        _("quantity"),
        least_places=0,
        validators=[MinValueValidator(PLACES)],
        help_text=_("The number of units, more than 0."),
    )
    price = ExactDecimalField(
        _("price"),
        validators=[MinValueValidator(Decimal(0))],
        help_text=_("The price of one unit, 0 or more."),
    )
    amount = ExactDecimalField(
        _("amount"),
        editable=False,
        help_text=_("Quantity times price, computed when the document is saved."),
    )

    class Meta(PartRow.Meta):
        abstract = True
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["document", "number"], name="%(app_label)s_%(class)s_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.number}"
