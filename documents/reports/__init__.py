"""Reports on the registers, for other programs and for pages."""

from __future__ import annotations
