"""What the seeding and the removal refuse, in a sentence for the operator."""

from __future__ import annotations


class DemoRefused(Exception):
    """The reason why demo data cannot be seeded or removed."""
