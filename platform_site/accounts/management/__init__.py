"""The commands of the accounts app."""

from __future__ import annotations
