"""The page that prints a document: a letterhead, the lines and the total, and nothing of
the administration around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import translation
from django.utils.formats import date_format
from django.views.decorators.http import require_safe

from catalogs.models import Constant
from documents.admin.buttons import page_of
from documents.admin.line_texts import lines_of
from documents.amounts import amount_in
from documents.constants import (
    COMPANY_ADDRESS,
    COMPANY_NAME,
    COMPANY_TAX_NUMBER,
    constants_on,
)
from documents.local_days import day_of
from documents.payment_terms import PaymentTerms
from platform_site.records.admin import RecordAdmin


class PrintMixin(RecordAdmin):
    """A row with a page to print it."""

    print_template = "documents/print.html"

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        opts = self.opts
        page = path(
            "<int:object_id>/print/",
            self.admin_site.admin_view(require_safe(self.print_view)),
            name=f"{opts.app_label}_{opts.model_name}_print",
        )
        return [page, *super().get_urls()]

    def print_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Show the document on paper, in the chosen language or in that of the page."""
        row = self.readable_row(request, str(object_id))
        if row is None:
            return self._missing(request, str(object_id))
        codes = [code for code, _name in settings.LANGUAGES]
        asked = request.GET.get("language", "")
        language = asked if asked in codes else translation.get_language()
        with translation.override(language):
            context = {
                "row": row,
                "title": f"{row._meta.verbose_name} {row.code}",
                "language": language,
                "languages": settings.LANGUAGES,
                "back": self.row_url(row),
                "company": _letterhead(row),
                "constants_url": page_of(Constant, "changelist")
                if request.user.has_perm("catalogs.add_constant")
                else "",
                **self.print_context(row),
            }
            return render(request, self.print_template, context)

    def print_context(self, row: Any) -> dict[str, Any]:
        """Return the content of the paper; it is in the active language."""
        currency = self.currency_of(row)  # type: ignore[attr-defined]
        due = getattr(row, "due_date", None)
        if row.stock_sign < 0:
            due = PaymentTerms().due_date(row.date)
        return {
            "date": date_format(day_of(row.date), "DATE_FORMAT"),
            "due": "" if due is None else date_format(due, "DATE_FORMAT"),
            "lines": lines_of(row, currency) if hasattr(row, "lines") else [],
            "total": amount_in(row.total, currency),
        }


def _letterhead(row: Any) -> Mapping[str, str]:
    """Return the name, address and tax number of the company on the date of a
    document."""
    names = {
        "name": COMPANY_NAME,
        "address": COMPANY_ADDRESS,
        "tax_number": COMPANY_TAX_NUMBER,
    }
    found = constants_on(names.values(), day_of(row.date))
    return {key: found.get(name, "") for key, name in names.items()}
