"""The admin pages of documents and registers. Documents are entered, posted and copied
through the services; register rows are read-only."""

from __future__ import annotations

from documents.admin import documents, registers

__all__ = ["documents", "registers"]
