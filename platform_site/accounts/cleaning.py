"""The cleaning of expired sessions, tokens and failure counters."""

from __future__ import annotations

from django.utils import timezone

from platform_site.accounts import throttling
from platform_site.accounts.models import EndedTokenFamily, UsedRefreshToken
from platform_site.accounts.sessions import SessionStore


def forget_old_sign_ins() -> None:
    """Delete expired sessions, used tokens and old failure counters."""
    SessionStore.clear_expired()
    _forget_expired_tokens()
    throttling.forget_old()


def _forget_expired_tokens() -> None:
    """Delete used tokens and ended families that have expired anyway.

    It is here because every command imports this module, but not the tokens' library.
    """
    for model in (UsedRefreshToken, EndedTokenFamily):
        model._default_manager.filter(expires_at__lt=timezone.now()).delete()
