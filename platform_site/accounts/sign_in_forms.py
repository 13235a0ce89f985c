"""Where people type their password on a page: to sign in, and to choose another one."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm, AdminPasswordChangeForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from platform_site.accounts.own_password import is_own_password
from platform_site.accounts.security_log import SignIn, note_sign_in
from platform_site.accounts.throttling import TooManyAttempts

# From here on minutes are easier to read.
_MANY_SECONDS = 120


class SignInForm(AdminAuthenticationForm):
    """The sign-in form, which says how long to wait after too many wrong passwords."""

    error_messages = {
        **AdminAuthenticationForm.error_messages,
        "invalid_login": gettext_lazy("The user name or the password is wrong."),
    }

    def confirm_login_allowed(self, user: Any) -> None:
        """Say after the right password that the pages are not for this account."""
        if not user.is_staff:
            raise ValidationError(
                _(
                    "This account has no access to these pages; ask an administrator "
                    "for a role that has."
                ),
                code="no_pages",
            )
        super().confirm_login_allowed(user)

    def clean(self) -> Any:
        """Look at name and password, and write in the security trail how it went."""
        try:
            cleaned = super().clean()
        except TooManyAttempts as refused:
            self._note(SignIn.THROTTLED)
            raise ValidationError(wait_sentence(refused.seconds)) from None
        except ValidationError:
            self._note(SignIn.FAILED)
            raise
        if self.get_user() is not None:
            self._note(SignIn.SUCCEEDED)
        return cleaned

    def _note(self, outcome: SignIn) -> None:
        note_sign_in(
            outcome,
            user_name=self.cleaned_data.get("username", ""),
            request=self.request,
            via="page",
            user=self.get_user() if outcome is SignIn.SUCCEEDED else None,
        )


class OwnPasswordForm(AdminPasswordChangeForm):
    """The form for one's own password; wrong guesses at the present one are counted."""

    def clean_old_password(self) -> str:
        """Return the present password, if it is the right one."""
        old: str = self.cleaned_data["old_password"]
        try:
            right = is_own_password(self.user, old)
        except TooManyAttempts as refused:
            raise ValidationError(wait_sentence(refused.seconds)) from None
        if not right:
            message = self.error_messages["password_incorrect"]
            raise ValidationError(message, code="password_incorrect")
        return old


def wait_sentence(seconds: int) -> str:
    """Return what people read instead of having their password looked at."""
    if seconds <= _MANY_SECONDS:
        text = _("Too many wrong passwords; try again in %(seconds)d seconds.")
        return text % {"seconds": max(seconds, 2)}
    text = _("Too many wrong passwords; try again in %(minutes)d minutes.")
    return text % {"minutes": -(-seconds // 60)}
