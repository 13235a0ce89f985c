"""Decides who may sign in with a password and whose session goes on: asked by Django's
login form, by the API's login and with every request that carries a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.backends import ModelBackend

from platform_site.accounts.models import User

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser


class AccountsBackend(ModelBackend):
    """Keep locked accounts out; what an account may do is left as it is.

    An API key of a locked account goes on working, so its rights must too (OPEN-115).
    """

    def user_can_authenticate(self, user: User | AnonymousUser | None) -> bool:
        """Tell whether `user` may sign in and stay signed in: active and not locked."""
        if isinstance(user, User) and user.is_locked:
            return False
        return super().user_can_authenticate(user)
