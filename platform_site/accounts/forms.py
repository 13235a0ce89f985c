"""The admin forms of accounts. They validate the input; the services write."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import (
    AdminPasswordChangeForm,
    AdminUserCreationForm,
    UserChangeForm,
)
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from importer import LimitReached
from platform_site.accounts.licence_guard import refuse_person_too_many
from platform_site.accounts.models import User
from platform_site.accounts.names import always_locked, is_scheduler
from platform_site.accounts.time_zones import time_zone_names
from platform_site.changes.edit_conflicts import SeenForm


def time_zone_choices() -> list[tuple[str, Any]]:
    """Return the time zones to choose from, and none for the installation's."""
    zones = [(name, name) for name in sorted(time_zone_names())]
    return [("", _("time zone of the installation")), *zones]


def _languages() -> list[tuple[str, Any]]:
    return [("", _("language of the browser")), *settings.LANGUAGES]


class _ChoicesMixin(forms.Form):
    """The choices of time zones and languages by name."""

    time_zone = forms.ChoiceField(
        label=_("Time zone"), choices=time_zone_choices, required=False
    )
    language = forms.ChoiceField(
        label=_("Language"), choices=_languages, required=False
    )


class _LicenceMixin(forms.ModelForm[User]):
    """The form error if the licence has no room for another user."""

    def clean(self) -> Any:
        """Check the licence limit, which also locks the count until the save."""
        cleaned = super().clean()
        stored, given = self.instance, self.cleaned_data
        program = given.get("is_service", stored.is_service)
        if not program and (stored._state.adding or stored.is_service):
            person = User(pk=stored.pk, username=given.get("username", ""))
            try:
                refuse_person_too_many(person)
            except LimitReached as refusal:
                raise ValidationError(str(refusal), code="limit") from None
        return cleaned


class ChangeUserForm(SeenForm, _LicenceMixin, _ChoicesMixin, UserChangeForm[User]):
    """The form of an account; its password has a page of its own."""


class SetPasswordForm(AdminPasswordChangeForm[User]):
    """The form for the password of an account with which people sign in."""

    def clean(self) -> Any:
        """Refuse the scheduler's account."""
        if is_scheduler(self.user):
            # At a field, because the page shows no other errors.
            self.add_error("password1", always_locked())
        return super().clean()


class AddUserForm(_LicenceMixin, _ChoicesMixin, AdminUserCreationForm[User]):
    """The form for a new account with its roles."""

    class Meta(AdminUserCreationForm.Meta):
        model = User
        fields = ("username", "email", "is_service", "groups")
