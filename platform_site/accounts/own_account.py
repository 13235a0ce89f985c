"""The page of one's own account: personal data, language, time zone, API keys and
sign-ins. Everything is written by the services."""

from __future__ import annotations

from typing import Any, Final, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from platform_site.accounts.api_keys import revoke_api_key
from platform_site.accounts.devices import remember_device
from platform_site.accounts.forms import AccountChoicesMixin
from platform_site.accounts.languages import language_of
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.services import end_sign_ins, update_user
from platform_site.accounts.sessions import signed_in_at

# What the person menu saves, each with its button.
_PREFERENCES: Final = ("language", "time_zone")


class OwnAccountForm(AccountChoicesMixin, forms.ModelForm[User]):
    """The form for what everybody may change of their own account."""

    class Meta:
        model = User
        fields = ("first_name", "last_name", "email", "language", "time_zone")


def account_page(request: HttpRequest) -> HttpResponse:
    """Show the user's own account; POST saves the form."""
    user = _own(request)
    form = OwnAccountForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        try:
            update_user(user=user)
        except ValidationError as refused:
            form.add_error(None, refused)
        else:
            return _saved(request, user, reverse("account"))
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": _("My account"),
        "form": form,
        "account": User.objects.get(pk=user.pk) if form.errors else user,
        "roles": user.groups.order_by("name"),
        "keys": ApiKey.objects.filter(user=user),
        "may_add_keys": user.has_perm("accounts.add_apikey"),
        "signed_in_at": signed_in_at(request),
    }
    return render(request, "accounts/own_account.html", context)


def save_preference(request: HttpRequest) -> HttpResponse:
    """Save the language or the time zone chosen in the person menu, and return to the
    page from which it was chosen."""
    user = _own(request)
    for name in _PREFERENCES:
        if name in request.POST:
            setattr(user, name, request.POST[name])
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(
        back, request.get_host(), request.is_secure()
    ):
        back = reverse("account")
    if user.language and not language_of(user):
        messages.error(request, _("Unknown language."))
        return redirect(back)
    try:
        update_user(user=user)
    except ValidationError as refused:
        messages.error(request, " ".join(refused.messages))
        return redirect(back)
    return _saved(request, user, back)


def revoke_key(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of the user's own keys."""
    key = get_object_or_404(ApiKey, pk=pk, user=_own(request))
    revoke_api_key(key=key)
    messages.success(request, _("The key %(key)s is revoked.") % {"key": key})
    return redirect(f"{reverse('account')}#api-keys")


def sign_out_elsewhere(request: HttpRequest) -> HttpResponse:
    """End every session and token of the account, except the session of this
    browser."""
    user = _own(request)
    end_sign_ins(user=user)
    update_session_auth_hash(request, user)
    messages.success(
        request, _("You are signed out everywhere else. API keys are still valid.")
    )
    answer = redirect(f"{reverse('account')}#devices")
    remember_device(answer, user)
    return answer


def _own(request: HttpRequest) -> User:
    """Return the user's account, freshly loaded, because a form changes it."""
    return User.objects.get(pk=cast("User", request.user).pk)


def _saved(request: HttpRequest, user: User, leads: str) -> HttpResponse:
    """Say that it is saved, in the language and zone that hold from now on."""
    with translation.override(language_of(user) or translation.get_language()):
        messages.success(request, _("Your account is saved."))
    return redirect(leads)
