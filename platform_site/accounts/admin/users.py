"""The admin pages of users. They write through the account services, so that every
write has a change event."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import localize
from django.utils.html import conditional_escape
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.built_in import FOR_GOOD
from platform_site.accounts.consequences import telling
from platform_site.accounts.delegation import covers_account, covers_role
from platform_site.accounts.forms import (
    AddUserForm,
    ChangeUserForm,
    SetPasswordForm,
)
from platform_site.accounts.models import User
from platform_site.accounts.names import is_scheduler
from platform_site.accounts.services import (
    add_user,
    delete_user,
    lock_user,
    unlock_user,
    update_user,
)
from platform_site.changes.edit_conflicts import SeenAdmin
from platform_site.changes.labels import NOTHING


class RoleFilter(admin.RelatedFieldListFilter):
    """A filter by role."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = _("role")
        self.empty_value_display = conditional_escape(gettext("no role"))


@admin.register(User)
class AccountAdmin(SeenAdmin, UserAdmin[User]):
    """The list and form of users; rights come only from roles."""

    form = ChangeUserForm
    add_form = AddUserForm
    change_password_form = SetPasswordForm
    list_display = (
        "username",
        "email",
        "role_names",
        "is_active",
        "locked",
        "last_login",
    )
    list_filter = ("is_active", "is_service", ("groups", RoleFilter))
    delete_confirmation_template = "accounts/delete_confirmation.html"
    filter_horizontal = ()
    readonly_fields = ("locked", "last_login", "date_joined")
    actions = ("lock", "unlock")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (_("Preferences"), {"fields": ("time_zone", "language")}),
        (
            _("Access"),
            {
                "fields": (
                    "is_active",
                    "locked",
                    "groups",
                    "is_staff",
                    "is_service",
                ),
            },
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": (
                    "username",
                    "usable_password",
                    "password1",
                    "password2",
                    "email",
                    "groups",
                    "is_service",
                    "time_zone",
                    "language",
                ),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Return the users with their roles, in two queries."""
        return super().get_queryset(request).prefetch_related("groups")

    def formfield_for_manytomany(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Return the field for roles: checkboxes for the roles that the user may
        give."""
        kwargs |= {"widget": forms.CheckboxSelectMultiple, "label": _("Roles")}
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field is not None:
            field.help_text = ""
            mine = [role.pk for role in field.queryset if covers_role(role)]
            field.queryset = field.queryset.filter(pk__in=mine)
        return field

    def has_change_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """Return whether the user may change it: only an account with no more
        rights."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or covers_account(obj))

    def has_delete_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """Return whether the user may delete it: only an account with no more rights,
        and never the scheduler's."""
        allowed = super().has_delete_permission(request, obj)
        if obj is None or not allowed:
            return allowed
        return covers_account(obj) and not is_scheduler(obj)

    @admin.display(description=_("roles"))
    def role_names(self, user: User) -> str:
        """Return the names of the user's roles."""
        return ", ".join(sorted(group.name for group in user.groups.all()))

    @admin.display(description=_("locked until"), ordering="locked_until")
    def locked(self, user: User) -> str:
        """Return when the lock ends, in the format of other dates."""
        if user.locked_until is None or not user.is_locked:
            return NOTHING
        if user.locked_until >= FOR_GOOD:
            return gettext("for good")
        return localize(localtime(user.locked_until))

    def write(
        self, request: HttpRequest, row: User, form: Any, *, change: bool
    ) -> None:
        """Save the account with its roles and one change event."""
        # A form without the field leaves the roles unchanged.
        chosen = form.cleaned_data.get("groups")
        roles = None if chosen is None else [group.name for group in chosen]
        if not change:
            add_user(user=row, roles=roles or ())
            return
        with telling(request, User.objects.filter(pk=row.pk)):
            update_user(user=row, roles=roles)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """Delete the account with the service."""
        delete_user(user=obj)

    @admin.action(description=_("Lock the chosen users"), permissions=["change"])
    def lock(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Lock the selected accounts, except the user's own."""

        def lock_other(user: User) -> None:
            if user.pk == request.user.pk:
                raise ValidationError(
                    gettext(
                        "You cannot lock the account you are signed in with; ask "
                        "another administrator."
                    )
                )
            lock_user(user=user)

        done = self.write_each(request, queryset, lock_other)
        text = ngettext("%d user locked.", "%d users locked.", done)
        self.say_done(request, text, done)

    @admin.action(description=_("Unlock the chosen users"), permissions=["change"])
    def unlock(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Unlock the selected accounts."""
        done = self.write_each(request, queryset, lambda user: unlock_user(user=user))
        text = ngettext("%d user unlocked.", "%d users unlocked.", done)
        self.say_done(request, text, done)
