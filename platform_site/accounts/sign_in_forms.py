"""The forms in which users type their password: to sign in, and to change it."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm, AdminPasswordChangeForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from platform_site.accounts.own_password import is_own_password
from platform_site.accounts.security_log import SignIn, note_sign_in
from platform_site.accounts.throttling import TooManyAttempts, wait_sentence


class SignInForm(AdminAuthenticationForm):
    """The sign-in form, which tells how long to wait after too many wrong passwords."""

    error_messages = {
        **AdminAuthenticationForm.error_messages,
        "invalid_login": gettext_lazy("The user name or the password is wrong."),
    }

    def confirm_login_allowed(self, user: Any) -> None:
        """Refuse an account without access to the pages, after checking its
        password."""
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
        """Check name and password, and write the result to the security log."""
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
    """The form for the user's own password; wrong current passwords count as
    failures."""

    def clean_old_password(self) -> str:
        """Return the current password if it is right."""
        old: str = self.cleaned_data["old_password"]
        try:
            right = is_own_password(self.user, old)
        except TooManyAttempts as refused:
            raise ValidationError(wait_sentence(refused.seconds)) from None
        if not right:
            message = self.error_messages["password_incorrect"]
            raise ValidationError(message, code="password_incorrect")
        return old
