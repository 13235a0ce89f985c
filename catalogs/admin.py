"""The admin pages of the catalogs: columns, filters and hints. Reading and writing are
in `platform_site.records.admin`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_lazy as _

from catalogs import models
from catalogs.folders import FolderFilter, folders_of
from platform_site.changes.labels import in_words
from platform_site.records.admin import (
    DeletedFilter,
    RecordAdmin,
    ReferenceFilter,
    ReferenceFiltersMixin,
)
from platform_site.records.admin.formatting import money
from platform_site.records.admin.row_parts import Figure, Pill


class HierarchicalAdmin(ReferenceFiltersMixin, RecordAdmin):
    """The list and form of a hierarchical catalog, with navigation by folders."""

    list_display: Any = ("code", "name", "folder", "parent")
    list_filter: ClassVar[Any] = (DeletedFilter, FolderFilter, "is_folder")
    list_select_related: ClassVar[Any] = ("parent",)
    autocomplete_fields: ClassVar[Any] = ("parent",)
    # The fields that folders don't have.
    only_outside_folders: tuple[str, ...] = ()
    change_list_template = "catalogs/folder_list.html"

    class Media:
        css: ClassVar[Any] = {"all": ("catalogs/folders.css",)}

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list with the folders above it."""
        answer: Any = super().changelist_view(request, extra_context)
        shown = getattr(answer, "context_data", None) or {}
        if "cl" in shown:
            shown["folders"] = folders_of(shown["cl"], request)
        return answer  # type: ignore[no-any-return]

    def short_name(self, row: Any) -> str:
        """Return how cells name a row: folders by their names alone."""
        return str(row.name) if row.is_folder else super().short_name(row)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields; people type code and name first, and rarely make a
        folder."""
        fields = [f for f in super().get_fields(request, obj) if f != "is_folder"]
        fields.insert(2, "is_folder")
        return fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the read-only fields; whether a stored row is a folder can't
        change."""
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else (*fields, "folder")

    def row_fieldsets(self, request: HttpRequest, obj: Any) -> Iterable[Any]:
        """Return the fieldsets, for a folder without the fields that folders don't
        have."""
        out = self.only_outside_folders if obj.is_folder else ()
        known = self.get_fields(request, obj)
        fields = [f for f in known if f.removesuffix("_shown") not in out]
        fields[fields.index("is_folder")] = "folder"
        return [(None, {"fields": fields})]

    def row_fields(self, request: HttpRequest, row: Any) -> Sequence[str]:
        """Return the properties; whether the row is a folder is one of its states."""
        names = super().row_fields(request, row)
        return [name for name in names if name != "folder"]

    def row_pills(self, request: HttpRequest, row: Any) -> list[Pill]:
        """Return that the row is a folder."""
        pills = super().row_pills(request, row)
        return [*pills, Pill(gettext("folder"), "quiet")] if row.is_folder else pills

    @admin.display(description=_("folder"), ordering="is_folder")
    def folder(self, row: Any) -> str:
        """Return yes or no as text: Django's icon would show an item as a fault."""
        return in_words(row.is_folder)


@admin.register(models.UnitOfMeasure)
class UnitOfMeasureAdmin(RecordAdmin):
    """Units of measure."""

    named_by = ("code",)
    purpose = _("The units in which items are counted, such as pieces or kilograms.")


@admin.register(models.Currency)
class CurrencyAdmin(RecordAdmin):
    """Currencies."""

    named_by = ("code",)
    purpose = _("The currencies of documents and bank accounts.")
    list_display = ("code", "name", "symbol", "minor_units")


@admin.register(models.Warehouse)
class WarehouseAdmin(RecordAdmin):
    """Warehouses."""

    purpose = _("The places where goods are kept. Each has a stock of its own.")
    list_display = ("code", "name", "address")
    search_fields = ("code", "name", "address")


@admin.register(models.Item)
class ItemAdmin(HierarchicalAdmin):
    """Items and their folders."""

    named_by = ("code", "name")
    purpose = _(
        "What the company buys, sells or uses: goods, materials and services, in folders."
    )
    list_display = (
        "code",
        "name",
        "sort",
        "unit_of_measure",
        "price_shown",
        "parent",
    )
    list_filter = (
        DeletedFilter,
        FolderFilter,
        "is_folder",
        "category",
        "price",
        ("unit_of_measure", ReferenceFilter),
    )
    list_select_related = ("parent", "unit_of_measure")
    search_fields = ("code", "name", "barcode")
    autocomplete_fields = ("parent", "unit_of_measure")
    only_outside_folders = ("category", "unit_of_measure", "barcode", "price")

    def row_figures(self, request: HttpRequest, row: Any) -> list[Figure]:
        """Return the price of one unit."""
        if row.is_folder or row.price is None:
            return []
        unit = row.unit_of_measure
        note = "" if unit is None else gettext("per %(unit)s") % {"unit": unit.code}
        return [Figure(gettext("Price"), money(row.price), note=note)]

    @admin.display(description=_("category"), ordering="category")
    def sort(self, row: models.Item) -> Any:
        """Return the category, or that the row is a folder."""
        return _("folder") if row.is_folder else row.get_category_display()

    @admin.display(description=_("price"), ordering="price")
    def price_shown(self, row: models.Item) -> str:
        """Return the price without unneeded decimal places."""
        return money(row.price)


@admin.register(models.Counterparty)
class CounterpartyAdmin(RecordAdmin):
    """Customers and suppliers."""

    named_by = ("code", "name")
    purpose = _("The customers and suppliers that documents name.")
    list_display = ("code", "name", "is_customer", "is_supplier", "tax_number", "phone")
    list_filter = (DeletedFilter, "is_customer", "is_supplier")
    search_fields = ("code", "name", "tax_number", "email")

    def row_pills(self, request: HttpRequest, row: Any) -> list[Pill]:
        """Return whether it is a customer, a supplier or both."""
        roles = (
            (row.is_customer, gettext("customer")),
            (row.is_supplier, gettext("supplier")),
        )
        return [Pill(text) for known, text in roles if known]


@admin.register(models.Account)
class LedgerAccountAdmin(HierarchicalAdmin):
    """The chart of accounts."""

    named_by = ("code", "name")
    purpose = _("The accounts of the ledger, and what postings use them for.")
    list_display = ("code", "name", "folder", "parent", "kind", "role")
    list_filter = (DeletedFilter, FolderFilter, "is_folder", "kind")


@admin.register(models.BankAccount)
class BankAccountAdmin(RecordAdmin):
    """Bank accounts of the company."""

    purpose = _("The accounts on which the company receives money.")
    list_display = ("code", "name", "number", "bank_name", "currency")
    list_select_related = ("currency",)
    search_fields = ("code", "name", "number")
    autocomplete_fields = ("currency",)


@admin.register(models.Constant)
class ConstantAdmin(RecordAdmin):
    """Constants and their values from given dates on."""

    purpose = _(
        "Values with a name, such as the address of the company, and from when on they "
        "are valid."
    )
    list_display = ("name", "effective_date", "value")
    related_display = ("name", "effective_date")
    list_display_links = ("name",)
    list_filter = (DeletedFilter, "effective_date")
    search_fields = ("name",)
    ordering = ("name", "-effective_date")
