"""The change history of business rows: who changed what, when and by which origin."""

from __future__ import annotations
