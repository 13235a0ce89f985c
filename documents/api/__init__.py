"""The API paths of documents, registers and reports, relative to the base of the API."""

from __future__ import annotations

from documents.api.paths import document_paths
from documents.api.registers import register_paths
from documents.api.reports import report_paths

urlpatterns = [*document_paths(), *register_paths(), *report_paths()]
