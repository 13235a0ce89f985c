"""Limits and failures of the database."""

from __future__ import annotations
