"""The cleaning of expired sessions, tokens and failure counters."""

from __future__ import annotations

from platform_site.accounts import throttling, tokens
from platform_site.accounts.sessions import SessionStore


def forget_old_sign_ins() -> None:
    """Delete expired sessions, used tokens and old failure counters."""
    SessionStore.clear_expired()
    tokens.forget_expired()
    throttling.forget_old()
