"""What an administrator types about an account, on its way to the services: these forms
check the words, the services do the writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.models import User
from platform_site.accounts.time_zones import time_zone_names

if TYPE_CHECKING:
    _UserChangeForm = UserChangeForm[User]
    _UserCreationForm = AdminUserCreationForm[User]
else:
    _UserChangeForm = UserChangeForm
    _UserCreationForm = AdminUserCreationForm


def _time_zones() -> list[tuple[str, Any]]:
    zones = [(name, name) for name in sorted(time_zone_names())]
    return [("", _("the installation's")), *zones]


def _languages() -> list[tuple[str, Any]]:
    return [("", _("as the browser asks")), *settings.LANGUAGES]


class _ChoicesMixin(forms.Form):
    """Offer time zones and languages by name."""

    time_zone = forms.ChoiceField(
        label=_("Time zone"), choices=_time_zones, required=False
    )
    language = forms.ChoiceField(
        label=_("Language"), choices=_languages, required=False
    )


class ChangeUserForm(_ChoicesMixin, _UserChangeForm):
    """Edit an account; its password has a page of its own."""


class AddUserForm(_ChoicesMixin, _UserCreationForm):
    """Create an account with its roles in one step."""

    class Meta(AdminUserCreationForm.Meta):
        model = User
        fields = ("username", "email", "is_service", "groups")
