"""Posting: the arithmetic of movements and ledger entries, and the code that writes
them."""

from __future__ import annotations
