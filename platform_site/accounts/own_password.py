"""The present password of whoever is signed in, asked for before it is changed: whoever
found an open session guesses here, so each wrong one counts and is in the trail."""

from __future__ import annotations

from platform_site.accounts.models import User
from platform_site.accounts.security_log import SignIn, note_sign_in
from platform_site.accounts.throttling import TooManyAttempts, attempt_own


def is_own_password(user: User, password: str) -> bool:
    """Tell whether it is the account's password; TooManyAttempts where none is looked at."""
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
