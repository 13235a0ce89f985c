"""The data processors of the documents."""

from __future__ import annotations

from documents.processors.recalculate_costs import RecalculateCosts

__all__ = ["RecalculateCosts"]
