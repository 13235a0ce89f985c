"""From a document to its movements and entries: arithmetic, and what writes it."""

from __future__ import annotations
