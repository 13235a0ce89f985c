"""What signing in leaves behind: removed once it's of no use any more."""

from __future__ import annotations

from platform_site.accounts import throttling, tokens
from platform_site.accounts.sessions import SessionStore


def forget_old_sign_ins() -> None:
    """Remove expired sessions, and what is remembered of tokens and wrong passwords."""
    SessionStore.clear_expired()
    tokens.forget_expired()
    throttling.forget_old()
