"""The password that takes the place of the documented one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.forms import SetPasswordForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from platform_site.accounts.models import User
from platform_site.accounts.standard import DEFAULT_ADMIN_PASSWORD

if TYPE_CHECKING:
    _SetPasswordForm = SetPasswordForm[User]
else:
    _SetPasswordForm = SetPasswordForm


class FirstPasswordForm(_SetPasswordForm):
    """Ask twice for a password that the validators take and nobody can look up."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password1"].widget.attrs["autofocus"] = True

    def clean_new_password1(self) -> str:
        """Refuse the one that is in the documentation."""
        password: str = self.cleaned_data["new_password1"]
        if password == DEFAULT_ADMIN_PASSWORD:
            raise ValidationError(
                _(
                    "Everybody knows this password from the documentation; choose another."
                ),
                code="documented",
            )
        return password
