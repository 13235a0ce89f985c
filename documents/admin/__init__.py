"""The admin pages of documents and registers. Documents are entered, posted and copied
through the services; register rows are read-only."""

from __future__ import annotations

from documents.admin import catalog_rows, documents, registers

__all__ = ["catalog_rows", "documents", "registers"]
