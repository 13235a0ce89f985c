"""Django's backend for PostgreSQL, with limits to how long anything waits for an answer."""

from __future__ import annotations
