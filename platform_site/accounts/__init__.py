"""Users, roles, API keys, tokens and sign-in."""

from __future__ import annotations
