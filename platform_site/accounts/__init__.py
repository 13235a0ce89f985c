"""The people and programs that may use the platform, their roles and their sign-in."""

from __future__ import annotations
