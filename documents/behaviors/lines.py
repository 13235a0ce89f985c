"""The part, rules and actions for the lines of a document. Lines have a table of their
own and count as one value of the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from catalogs.models import Item
from documents.posting.movements import LIMIT, line_amount
from importer import Problem
from importer.targets import RowLookup, RowReference
from platform_site.database.inserts import insert_rows
from platform_site.records.references import columns_of

LINES = "lines"


class KeepLines:
    """The lines of a document as one value: a list of the columns of each line."""

    name = LINES

    def load(self, rows: Iterable[Any]) -> None:
        """Load the stored lines of documents of one kind that don't have them yet."""
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
        """Return the number of stored lines of documents of one kind, by document
        key."""
        lines = model.line_model().objects.filter(document_id__one_of=list(row_ids))
        counted = lines.order_by().values_list("document_id").annotate(Count("pk"))
        return dict(counted)

    def references(self, row: Any) -> Iterator[RowReference]:
        """Yield the references of each line."""
        columns = columns_of(row.line_model())
        said = [column for column in columns if column.attname in row.line_model().said]
        for number, line in enumerate(row.lines):
            for column in said:
                path = f"{LINES}[{number}].{column.path}"
                yield RowReference(path, column.wanted, line[column.attname])

    def write(self, row: Any) -> None:
        """Replace the stored lines."""
        model = row.line_model()
        if row.version > 1:  # a new document has none yet
            # Not with its manager, which refuses writes.
            rows: QuerySet[Any] = QuerySet(model)
            rows.filter(document_id=row.pk).delete()
        lines = [
            SimpleNamespace(
                document_id=row.pk,
                number=number,
                amount=line_amount(line["quantity"], line["price"]),
                **line,
            )
            for number, line in enumerate(row.lines, start=1)
        ]
        insert_rows(model, lines)


class ComputeTotal:
    """An action that computes the total of a document."""

    def act(self, row: Any) -> None:
        """Set the total."""
        row.compute_total()


class LinesNameItems:
    """A rule: lines name items, not folders."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Yield a problem for each line that names a folder."""
        if before is not None and before.lines == row.lines:
            return
        for number, line in enumerate(row.lines):
            item = lookup.row(Item, line["item_id"])
            if item is not None and item.is_folder:
                message = _("%(row)s is a folder; a line needs an item.")
                path = f"{LINES}[{number}].itemId"
                yield Problem(path, message % {"row": item}, "is-folder")


class AmountsFit:
    """A rule: amounts and totals have at most 14 digits before the decimal point."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Yield a problem for each amount that doesn't fit its column."""
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
