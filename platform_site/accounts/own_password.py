"""The check of the current password before it is changed. Whoever finds an open session
could guess here, so wrong passwords count and are logged."""

from __future__ import annotations

from platform_site.accounts.models import User
from platform_site.accounts.security_log import SignIn, note_sign_in
from platform_site.accounts.throttling import TooManyAttempts, attempt_own


def is_own_password(user: User, password: str) -> bool:
    """Return whether the password is right; raise TooManyAttempts if it isn't checked
    now."""
    try:
        attempt = attempt_own(user)
    except TooManyAttempts:
        _note(SignIn.THROTTLED, user)
        raise
    if user.check_password(password):
        attempt.succeeded()
        return True
    attempt.failed()
    _note(SignIn.FAILED, user)
    return False


def _note(outcome: SignIn, user: User) -> None:
    name = user.get_username()
    note_sign_in(outcome, user_name=name, request=None, via="own password", user=user)
