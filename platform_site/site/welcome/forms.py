"""The form for the new password of the administrator."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import SetPasswordForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.models import User


class FirstPasswordForm(SetPasswordForm[User]):
    """The form for a new password, typed twice; the documented one is refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password1"].widget.attrs["autofocus"] = True

    def clean_new_password1(self) -> str:
        """Refuse the documented password."""
        password: str = self.cleaned_data["new_password1"]
        if password == DEFAULT_ADMIN_PASSWORD:
            raise ValidationError(
                _(
                    "This password is published in the documentation; choose "
                    "another one."
                ),
                code="documented",
            )
        return password
