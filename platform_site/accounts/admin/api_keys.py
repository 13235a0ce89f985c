"""The admin pages of API keys: create a key, which is shown once, see its last use, and
revoke it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from platform_site.accounts.api_keys import (
    create_api_key,
    delete_api_key,
    revoke_api_key,
)
from platform_site.accounts.built_in import JOBS_SCHEDULER
from platform_site.accounts.delegation import covers_account, own_reach
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.scopes import checked_scopes
from platform_site.changes.service_admin import ServiceAdmin


class StateFilter(admin.SimpleListFilter):
    """A filter by state: good, expired or revoked."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the states."""
        return [
            ("good", _("good")),
            ("expired", _("expired")),
            ("revoked", _("revoked")),
        ]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[ApiKey]
    ) -> QuerySet[ApiKey]:
        """Return the keys in the chosen state."""
        over = Q(expires_at__lte=timezone.now())
        live = queryset.filter(revoked_at=None)
        if self.value() == "good":
            return live.exclude(over)
        if self.value() == "expired":
            return live.filter(over)
        return queryset.exclude(revoked_at=None) if self.value() else queryset


@admin.register(ApiKey)
class ApiKeyAdmin(ServiceAdmin):
    """The pages that list, create and revoke keys; keys can't be edited."""

    purpose = _("With a key, a program signs in as a user, without a password.")

    list_display = (
        "__str__",
        "user",
        "name",
        "created",
        "expires_at",
        "last_used_at",
        "state",
        "scopes",
    )
    list_filter = (StateFilter,)
    list_select_related = ("user",)
    search_fields = ("prefix", "name", "user__username")
    fields = ("user", "name", "scopes", "expires_at")
    actions = ("revoke",)

    @admin.display(description=_("state"))
    def state(self, key: ApiKey) -> str:
        """Return the state of the key: good, expired or revoked."""
        if key.revoked_at is not None:
            return gettext("revoked")
        return gettext("good") if key.is_good else gettext("expired")

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> Any:
        """Return the fields of the form for a new key, or all fields of a stored
        one."""
        if obj is None:
            return self.fields
        shown = ("created", "last_used_at", "revoked_at", "state")
        return ("__str__", *self.fields, *shown)

    def has_change_permission(
        self, request: HttpRequest, obj: ApiKey | None = None
    ) -> bool:
        """Return False: to change a key, create another and revoke this one."""
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: ApiKey | None = None
    ) -> bool:
        """Return whether the user may delete keys, and may act for the owner of this
        one."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or covers_account(obj.user))

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may revoke keys: those who may create them may."""
        return self.has_add_permission(request)

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Offer every account except the scheduler's to administrators, and others
        their own."""
        if db_field.name == "user":
            users = User.objects.exclude(username=JOBS_SCHEDULER)
            if not own_reach().everything:
                users = users.filter(username=request.user.get_username())
            kwargs["queryset"] = users
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return a form that refuses an expiry time in the past and unknown scopes."""
        form: Any = super().get_form(request, *args, **kwargs)

        def clean_expires_at(self: Any) -> Any:
            expiry = self.cleaned_data["expires_at"]
            if expiry is not None and expiry <= timezone.now():
                raise ValidationError(
                    gettext("This time is in the past; choose a later one.")
                )
            return expiry

        def clean_scopes(self: Any) -> str:
            try:
                return checked_scopes(self.cleaned_data["scopes"].split())
            except ValidationError as wrong:
                raise ValidationError(wrong.messages) from None

        checks = {"clean_expires_at": clean_expires_at, "clean_scopes": clean_scopes}
        return type(form.__name__, (form,), checks)

    def write(
        self, request: HttpRequest, row: ApiKey, form: Any, *, change: bool
    ) -> None:
        """Create the key through its service."""
        made, text = create_api_key(
            user=row.user,
            name=row.name,
            expires_at=row.expires_at,
            scopes=row.scopes.split(),
        )
        row.pk, row.prefix = made.pk, made.prefix
        request.new_api_key = text  # type: ignore[attr-defined]

    def response_add(
        self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the key; it is stored only as a digest and can't be shown again."""
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("The new API key"),
            "opts": self.opts,
            "key": request.new_api_key,  # type: ignore[attr-defined]
            "owner": obj.user,
        }
        # Admin pages are never cached by browsers, so this one isn't either.
        return TemplateResponse(request, "accounts/new_api_key.html", context)

    def delete_model(self, request: HttpRequest, obj: ApiKey) -> None:
        """Delete the key with the service."""
        delete_api_key(key=obj)

    @admin.action(description=_("Revoke the chosen keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """Revoke the selected keys."""
        done = self.write_each(request, queryset, lambda key: revoke_api_key(key=key))
        text = ngettext("%d key revoked.", "%d keys revoked.", done)
        self.say_done(request, text, done)
