"""The pages of the reports: stock on hand and ledger balances at the end of any day, with
totals, a plot, links to what is behind each number, and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy

from documents.admin.ledger_report import LedgerTable
from documents.admin.report_forms import (
    LedgerReportForm,
    ReportForm,
    StockReportForm,
    presets,
)
from documents.admin.report_rights import may_see
from documents.admin.report_tables import Heading, ReportTable
from documents.admin.stock_report import StockTable
from documents.registers.balances import ledger_balances, stock_on_hand
from documents.reports.cache import answer
from platform_site.accounts.time_zones import zone_of
from platform_site.records.errors import Refusal
from platform_site.records.table_files import file_response

PER_PAGE: Final = 50
FILES: Final = ("csv", "xlsx")
# The parameters that aren't part of the question.
_VIEW: Final = ("page", "sort")


@dataclass(frozen=True)
class ReportPage:
    """A report as a page and as files."""

    # Of its paths; that of the files has "-file" behind it.
    name: str
    title: Any
    file_name: str
    form: type[ReportForm]
    table: type[ReportTable]
    ask: Callable[..., list[Any]]
    empty: Any

    def page(self, request: HttpRequest) -> HttpResponse:
        """Show a page of the rows."""
        self._authorise(request)
        with timezone.override(zone_of(request.user)):
            form = self.form(request)
            context = {
                **admin.site.each_context(request),
                **self._asked(request, form),
                "title": self.title,
                "report": self,
                "form": form,
                "zone": zone_of(request.user).key,
                "path": reverse(self.name),
            }
            return render(request, "documents/report.html", context)

    def file(self, request: HttpRequest, kind: str) -> HttpResponseBase:
        """Return all rows as a file, in the order of the page."""
        self._authorise(request)
        if kind not in FILES:
            raise Http404
        with timezone.override(zone_of(request.user)):
            form = self.form(request)
            if not form.is_valid():
                return self._back(request)
            table = self._table(form, _kept(request))
            table.rows = table.sorted_by(request.GET.get("sort", ""))
            name = f"{self.file_name}.{kind}"
            try:
                return file_response(name, table.columns(), table.lines())
            except Refusal as refusal:
                for problem in refusal.problems:
                    messages.error(request, problem.message)
                return self._back(request)

    def _authorise(self, request: HttpRequest) -> None:
        if not may_see(request.user, self.form.register):
            raise PermissionDenied

    def _back(self, request: HttpRequest) -> HttpResponse:
        return HttpResponseRedirect(f"{reverse(self.name)}?{request.GET.urlencode()}")

    def _table(self, form: ReportForm, kept: dict[str, str]) -> ReportTable:
        """Return the rows that the API returns too."""
        as_of, filters = form.moment, form.filters
        rows = answer(self.ask, as_of, **filters)
        return self.table(rows, as_of, kept, (as_of, *sorted(filters.items())))

    def _asked(self, request: HttpRequest, form: ReportForm) -> dict[str, Any]:
        """Return what the page shows of the answer, nothing for a wrong question."""
        kept = _kept(request)
        shown: dict[str, Any] = {
            "presets": _chips(kept),
            "is_filtered": bool(kept.keys() - {"as_of"}),
        }
        if not form.is_valid():
            return shown
        table = self._table(form, kept)
        order = request.GET.get("sort", "")
        rows = Paginator(table.sorted_by(order), PER_PAGE)
        page = rows.get_page(request.GET.get("page"))
        return {
            **shown,
            "when": _when(form),
            "page": page,
            "pages": _pages(kept, order, page),
            "headings": [_heading(each, kept, order) for each in table.headings],
            "rows": [
                [*zip(table.headings, cells, strict=True)]
                for cells in table.cells(list(page.object_list))
            ],
            "totals": table.totals() if table.rows else None,
            "plots": [*table.plots()] if page.number == 1 else [],
            "files": [
                (
                    kind,
                    f"{reverse(f'{self.name}-file', args=[kind])}{_query(kept, order)}",
                )
                for kind in FILES
            ],
        }


def _kept(request: HttpRequest) -> dict[str, str]:
    """Return the parameters of the question."""
    given = request.GET.dict().items()
    return {name: str(value) for name, value in given if value and name not in _VIEW}


def _query(kept: dict[str, str], order: str = "", page: int = 0) -> str:
    more = {"sort": order, "page": str(page or "")}
    wanted = {**kept, **{name: value for name, value in more.items() if value}}
    return f"?{urlencode(wanted)}"


def _chips(kept: dict[str, str]) -> list[tuple[Any, str, bool]]:
    """Return the days that are often asked for: text, address, and which is chosen."""
    others = {name: value for name, value in kept.items() if name != "as_of"}
    return [
        (
            text,
            _query({**others, **({"as_of": day} if day else {})}),
            kept.get("as_of", "") == day,
        )
        for text, day in presets()
    ]


def _when(form: ReportForm) -> str:
    """Return what counts, as a sentence."""
    moment = form.moment
    if moment is None:
        return _("Everything that is posted counts.")
    day = date_format(timezone.localtime(moment), "DATE_FORMAT")
    return _("Everything dated up to the end of %(day)s counts.") % {"day": day}


def _heading(
    heading: Heading, kept: dict[str, str], order: str
) -> tuple[Heading, str, str]:
    """Return a heading, the address that sorts by it, and how it sorts now."""
    name = heading.sort
    if not name:
        return heading, "", ""
    now = {name: "ascending", f"-{name}": "descending"}.get(order, "")
    first = f"-{name}" if heading.is_number else name
    second = name if heading.is_number else f"-{name}"
    return heading, _query(kept, second if order == first else first), now


def _pages(kept: dict[str, str], order: str, page: Any) -> dict[str, str]:
    """Return the addresses of the pages before and after."""
    found = {}
    if page.has_previous():
        found["previous"] = _query(kept, order, page.previous_page_number())
    if page.has_next():
        found["next"] = _query(kept, order, page.next_page_number())
    return found


STOCK: Final = ReportPage(
    "stock-report",
    gettext_lazy("Stock on hand"),
    "StockOnHand",
    StockReportForm,
    StockTable,
    stock_on_hand,
    gettext_lazy("There is no stock yet. Posted goods receipts bring it in."),
)
LEDGER: Final = ReportPage(
    "ledger-report",
    gettext_lazy("Ledger balances"),
    "LedgerBalances",
    LedgerReportForm,
    LedgerTable,
    ledger_balances,
    gettext_lazy("The ledger is empty. Posted documents write to it."),
)
