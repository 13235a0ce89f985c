"""The documents and the reports about them, relative to the API's base."""

from __future__ import annotations

from documents.api.paths import document_paths
from documents.api.reports import report_paths

urlpatterns = [*document_paths(), *report_paths()]
