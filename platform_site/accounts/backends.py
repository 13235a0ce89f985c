"""The authentication backend: who may sign in with a password, and whose session is
valid. Django's login form, the API and every request with a session use it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from platform_site.accounts import throttling
from platform_site.accounts.models import User
from platform_site.accounts.services import can_sign_in


class AccountsBackend(ModelBackend):
    """Django's model backend, which also refuses locked accounts.

    An API key of a locked account still works, so its rights must too (OPEN-115).
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the account with this name and password, None if there is none.

        Raise TooManyAttempts after too many failures, without revealing whether the
        password is right.
        """
        attempt = throttling.attempt(request, username or "")
        user = super().authenticate(request, username, password, **kwargs)
        if user is None:
            attempt.failed()
        else:
            attempt.succeeded()
        return user

    def user_can_authenticate(self, user: User | AnonymousUser | None) -> bool:
        """Return whether `user` may sign in and stay signed in."""
        if isinstance(user, User) and not can_sign_in(user):
            return False
        return super().user_can_authenticate(user)
