"""The paths of the pages of the reports, below `/admin/`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from documents.admin.report_pages import LEDGER, STOCK, ReportPage


def _paths(at: str, report: ReportPage) -> list[object]:
    page = admin.site.admin_view(report.page)
    file = admin.site.admin_view(report.file)
    return [
        path(at, page, name=report.name),
        path(f"{at}/", page),
        path(f"{at}.<str:kind>", file, name=f"{report.name}-file"),
    ]


urlpatterns = [
    *_paths("reports/stock-on-hand", STOCK),
    *_paths("reports/ledger-balances", LEDGER),
]
