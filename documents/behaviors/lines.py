"""The lines of a document: kept in a table of their own as one value of the document,
judged by rules, and summed up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from catalogs.models import Item
from documents.posting.movements import LIMIT, line_amount
from importer import Problem
from importer.targets import RowLookup, RowReference
from platform_site.records.references import columns_of

LINES = "lines"


class KeepLines:
    """A document's lines are one value: a list of what each line says."""

    name = LINES

    def load(self, rows: Iterable[Any]) -> None:
        """Give documents of one kind their stored lines, unless they have them."""
        wanted = {row.pk: row for row in rows if not row.has_lines and row.pk > 0}
        if not wanted:
            return
        found: dict[int, list[dict[str, Any]]] = {key: [] for key in wanted}
        model = next(iter(wanted.values())).line_model()
        lines = model.objects.filter(document_id__one_of=list(wanted))
        columns = lines.order_by("document_id", "number").values(
            "document_id", *model.said
        )
        for line in columns:
            found[line.pop("document_id")].append(line)
        for key, row in wanted.items():
            row.lines = found[key]

    def count(self, model: Any, row_ids: Sequence[int]) -> dict[int, int]:
        """Return how many lines documents of one kind have stored, by their keys."""
        lines = model.line_model().objects.filter(document_id__one_of=list(row_ids))
        counted = lines.order_by().values_list("document_id").annotate(Count("pk"))
        return dict(counted)

    def references(self, row: Any) -> Iterator[RowReference]:
        """Yield what each line refers to."""
        columns = columns_of(row.line_model())
        said = [column for column in columns if column.attname in row.line_model().said]
        for number, line in enumerate(row.lines):
            for column in said:
                path = f"{LINES}[{number}].{column.path}"
                yield RowReference(path, column.wanted, line[column.attname])

    def write(self, row: Any) -> None:
        """Replace the stored lines."""
        model = row.line_model()
        # Not by its manager, which refuses everybody.
        rows: QuerySet[Any] = QuerySet(model)
        if row.version > 1:  # a new document has none yet
            rows.filter(document_id=row.pk).delete()
        rows.bulk_create(
            model(
                document_id=row.pk,
                number=number,
                amount=line_amount(line["quantity"], line["price"]),
                **line,
            )
            for number, line in enumerate(row.lines, start=1)
        )


class ComputeTotal:
    """A document's total follows from what it says."""

    def act(self, row: Any) -> None:
        """Set the total."""
        row.compute_total()


class LinesNameItems:
    """Lines are about items, never about folders of them."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Refuse a folder in a line."""
        if before is not None and before.lines == row.lines:
            return
        for number, line in enumerate(row.lines):
            item = lookup.row(Item, line["item_id"])
            if item is not None and item.is_folder:
                message = _("%(row)s is a folder; a line needs an item.")
                path = f"{LINES}[{number}].itemId"
                yield Problem(path, message % {"row": item}, "is-folder")


class AmountsFit:
    """Amounts and totals have no more than 14 digits before the point."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Refuse what no column could hold."""
        if before is not None and before.lines == row.lines:
            return
        amounts = [line_amount(ln["quantity"], ln["price"]) for ln in row.lines]
        large = [n for n, amount in enumerate(amounts) if amount >= LIMIT]
        for number in large:
            message = _(
                "Quantity times price has more than 14 digits before the decimal point."
            )
            yield Problem(f"{LINES}[{number}].price", message, "too-many-digits")
        if not large and sum(amounts) >= LIMIT:
            message = _("The total has more than 14 digits before the decimal point.")
            yield Problem(LINES, message, "too-many-digits")
