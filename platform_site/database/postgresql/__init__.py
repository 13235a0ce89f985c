"""The backend for PostgreSQL, with time limits."""

from __future__ import annotations
