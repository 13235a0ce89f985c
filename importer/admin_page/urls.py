"""The paths of the page, relative to those of the admin site (OPEN-56)."""

from __future__ import annotations

from django.urls import path, re_path

from importer.admin_page.views import (
    failed_package,
    failed_rows,
    import_page,
    no_tables,
    progress,
    report_file,
)
from importer.api.uploads import largest_body, takes_uploads
from importer.tables import is_installed

if is_installed():
    from importer.admin_page.table_view import table_page, table_template
else:
    table_page = table_template = no_tables

_page = takes_uploads(import_page, largest_body)

urlpatterns = [
    path("import", _page, name="import-page"),
    path("import/progress", progress, name="import-progress"),
    re_path(r"^import/report\.(?P<kind>json|csv)$", report_file, name="import-report"),
    path("import/table", takes_uploads(table_page, largest_body), name="import-table"),
    path("import/template", table_template, name="import-template"),
    path("import/failed.json", failed_package, name="import-failed"),
    path("import/failed.csv", failed_rows, name="import-failed-rows"),
    # A redirect would lose the posted data.
    path("import/", _page),
]
