"""The commands of the demo data."""

from __future__ import annotations
