"""The site's own commands."""

from __future__ import annotations
