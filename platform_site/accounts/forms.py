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
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from importer import LimitReached
from platform_site.accounts.built_in import FOR_GOOD
from platform_site.accounts.licence_guard import refuse_person_too_many
from platform_site.accounts.models import User
from platform_site.accounts.names import always_locked, is_scheduler
from platform_site.accounts.services import one_time_password
from platform_site.accounts.time_zones import time_zone_names
from platform_site.changes.edit_conflicts import SeenForm


def time_zone_choices() -> list[tuple[str, Any]]:
    """Return the time zones to choose from, and none for the installation's."""
    zones = [(name, name) for name in sorted(time_zone_names())]
    return [("", _("time zone of the installation")), *zones]


def _languages() -> list[tuple[str, Any]]:
    return [("", _("language of the browser")), *settings.LANGUAGES]


class AccountChoicesMixin(forms.Form):
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


class MaySignIn(models.TextChoices):
    """Whether people may sign in to an account."""

    YES = "yes", _("Yes")
    LATER = "later", _("Not until the time below; its API keys work")
    LOCKED = "locked", _("No, until somebody unlocks it; its API keys work")
    DISABLED = "disabled", _("No, and its API keys don't work either")


def sign_in_of(user: User) -> MaySignIn:
    """Return whether people may sign in to an account now."""
    if not user.is_active:
        return MaySignIn.DISABLED
    if user.locked_until is None or not user.is_locked:
        return MaySignIn.YES
    return MaySignIn.LOCKED if user.locked_until >= FOR_GOOD else MaySignIn.LATER


class ChangeUserForm(
    SeenForm, _LicenceMixin, AccountChoicesMixin, UserChangeForm[User]
):
    """The form of an account; its password has a page of its own."""

    sign_in = forms.ChoiceField(
        label=_("May sign in"), choices=MaySignIn.choices, widget=forms.RadioSelect
    )
    not_before = forms.DateTimeField(
        label=_("Not until"),
        required=False,
        widget=forms.DateTimeInput(
            attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        user, state = self.instance, sign_in_of(self.instance)
        self.initial["sign_in"] = state.value
        if state is MaySignIn.LATER:
            self.initial["not_before"] = user.locked_until

    def clean(self) -> Any:
        """Put the answer into the account."""
        cleaned = super().clean()
        chosen = self.cleaned_data.get("sign_in")
        until = self.cleaned_data.get("not_before")
        is_past = until is None or until <= timezone.now()
        if chosen == MaySignIn.LATER and "not_before" not in self.errors and is_past:
            self.add_error("not_before", _("Enter a time in the future."))
        if is_scheduler(self.instance) and chosen in (MaySignIn.YES, MaySignIn.LATER):
            self.add_error("sign_in", always_locked())
        # An unchanged answer changes nothing, such as the lock of a disabled account.
        answered = {"sign_in", "not_before"} & set(self.changed_data)
        if chosen and answered and not self.errors:
            self._put_answer(MaySignIn(chosen), until)
        return cleaned

    def _put_answer(self, chosen: MaySignIn, until: Any) -> None:
        self.instance.is_active = chosen != MaySignIn.DISABLED
        if self.instance.is_active:
            locks = {MaySignIn.LATER: until, MaySignIn.LOCKED: FOR_GOOD}
            self.instance.locked_until = locks.get(chosen)


class SetPasswordForm(AdminPasswordChangeForm[User]):
    """The form for the password of an account with which people sign in."""

    def clean(self) -> Any:
        """Refuse the scheduler's account."""
        if is_scheduler(self.user):
            # At a field, because the page shows no other errors.
            self.add_error("password1", always_locked())
        return super().clean()


class FirstPassword(models.TextChoices):
    """The first password of a new account."""

    ONE_TIME = "one-time", _("A one-time password, shown after saving")
    TYPED = "typed", _("The password below")
    NONE = "none", _("None, for a program with an API key")


class AddUserForm(_LicenceMixin, AccountChoicesMixin, AdminUserCreationForm[User]):
    """The form for a new account with its roles."""

    first_password = forms.ChoiceField(
        label=_("First password"),
        choices=FirstPassword.choices,
        widget=forms.RadioSelect,
        initial=FirstPassword.ONE_TIME,
        required=False,
        help_text=_(
            "Whoever gets a one-time password must choose another one at once."
        ),
    )

    # Once it is made, for the page that shows it.
    one_time_password = ""

    class Meta(AdminUserCreationForm.Meta):
        model = User
        fields = (
            "username",
            "first_name",
            "last_name",
            "email",
            "is_service",
            "groups",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Django's own question; ours has one more answer.
        self.fields.pop("usable_password", None)

    def clean(self) -> Any:
        """Tell Django's form whether passwords are typed."""
        chosen = self.cleaned_data.get("first_password") or FirstPassword.TYPED
        is_typed = chosen == FirstPassword.TYPED
        self.cleaned_data["usable_password"] = "true" if is_typed else "false"
        return super().clean()

    def set_password_and_save(
        self,
        user: User,
        commit: bool = True,  # noqa: FBT001, FBT002 - Django's signature
        **options: Any,
    ) -> User:
        """Give the account a one-time password if it should get one."""
        if self.cleaned_data.get("first_password") != FirstPassword.ONE_TIME:
            return super().set_password_and_save(user, commit=commit, **options)
        self.one_time_password = one_time_password()
        user.set_password(self.one_time_password)
        user.password_is_one_time = True
        if commit:
            user.save()
        return user
