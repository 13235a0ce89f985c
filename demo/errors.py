"""The refusals of seeding and removal, as sentences for operators."""

from __future__ import annotations


class DemoRefused(Exception):
    """The reason why demo data cannot be seeded or removed."""
