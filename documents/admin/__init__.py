"""Documents and registers in the administration: entered, posted and created from one
another through the services; what they posted is shown and never edited."""

from __future__ import annotations

from documents.admin import documents, registers

__all__ = ["documents", "registers"]
