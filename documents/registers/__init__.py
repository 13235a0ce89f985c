"""The registers: the effects of posted documents on stock and ledger."""

from __future__ import annotations
