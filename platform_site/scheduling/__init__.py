"""Jobs: data processors that run automatically on a schedule."""

from __future__ import annotations
