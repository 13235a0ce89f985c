"""Trade documents: numbered, posted into the stock register and the ledger."""

from __future__ import annotations
