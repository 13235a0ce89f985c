"""The commands of the agents app."""

from __future__ import annotations
