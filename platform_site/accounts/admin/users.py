"""The admin pages of users. They write through the account services, so that every
write has a change event."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.formats import localize
from django.utils.html import conditional_escape
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from django.views.decorators.http import require_POST

from platform_site.accounts.admin.user_labels import UserLabels
from platform_site.accounts.built_in import FOR_GOOD
from platform_site.accounts.consequences import telling
from platform_site.accounts.delegation import covers_account, covers_role
from platform_site.accounts.forms import AddUserForm, ChangeUserForm, SetPasswordForm
from platform_site.accounts.models import User
from platform_site.accounts.names import is_scheduler
from platform_site.accounts.role_summaries import RoleChoices
from platform_site.accounts.services import (
    add_user,
    delete_user,
    lock_user,
    set_one_time_password,
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

    labels = UserLabels(User)
    form = ChangeUserForm
    add_form = AddUserForm
    change_password_form = SetPasswordForm
    change_form_template = "accounts/user_form.html"
    add_form_template = "accounts/user_add_form.html"
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
        (_("Preferences"), {"fields": ("language", "time_zone")}),
        (
            _("Access"),
            {"fields": ("groups", "sign_in", "not_before", "is_service")},
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
                    "first_name",
                    "last_name",
                    "email",
                    "language",
                    "time_zone",
                    "groups",
                    "is_service",
                    "first_password",
                    "password1",
                    "password2",
                ),
            },
        ),
    )

    class Media:
        css = {"all": ("accounts/users.css",)}
        js = ("accounts/users.js",)

    def get_urls(self) -> list[Any]:
        """Add the paths of the two buttons."""
        wrap = self.admin_site.admin_view
        own = [
            path(
                f"<path:object_id>/{name}/",
                wrap(require_POST(view)),
                name=f"accounts_user_{name.replace('-', '_')}",
            )
            for name, view in (
                ("unlock", self.unlock_view),
                ("one-time-password", self.one_time_password_view),
            )
        ]
        return [*own, *super().get_urls()]

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Say until when an account is locked, and ask nothing of those who may not
        change it."""
        shown = super().get_fieldsets(request, obj)
        if obj is None or (
            self.has_change_permission(request, obj) and not obj.is_locked
        ):
            return shown
        fields: tuple[str, ...] = ("groups", "is_active", "locked", "is_service")
        if self.has_change_permission(request, obj):
            fields = ("groups", "locked", "sign_in", "not_before", "is_service")
        access = {"fields": fields}
        return [
            (title, access if "sign_in" in options["fields"] else options)
            for title, options in shown
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Return the users with their roles, in two queries."""
        return super().get_queryset(request).prefetch_related("groups")

    def formfield_for_manytomany(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Return the field for roles: checkboxes for the roles that the user may
        give."""
        kwargs |= {
            "form_class": RoleChoices,
            "widget": forms.CheckboxSelectMultiple(attrs={"class": "roles"}),
            "label": _("Roles"),
        }
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field is not None:
            field.help_text = _(
                "Roles decide what the account may do. Each but “user” lets a person "
                "use these pages."
            )
            mine = [role.pk for role in field.queryset if covers_role(role)]
            chosen = field.queryset.filter(pk__in=mine)
            field.queryset = chosen.prefetch_related("permissions__content_type")
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
            request.one_time_password = form.one_time_password  # type: ignore[attr-defined]
            return
        with telling(request, User.objects.filter(pk=row.pk)):
            update_user(user=row, roles=roles)

    def response_add(
        self, request: HttpRequest, obj: User, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show a one-time password, which is stored only as a hash."""
        password: str = request.one_time_password  # type: ignore[attr-defined]
        if password:
            return self._shown_once(request, obj, password)
        return super().response_add(request, obj, post_url_continue)

    def one_time_password_view(
        self, request: HttpRequest, object_id: str
    ) -> HttpResponse:
        """Set a one-time password, and show it."""
        user = self._changeable(request, object_id)
        password = []

        def write(user: User) -> None:
            password.append(set_one_time_password(user=user))

        if not self.write_each(request, [user], write):
            return self._back_to(user)
        return self._shown_once(request, user, password[0])

    def unlock_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Unlock the account."""
        user = self._changeable(request, object_id)
        done = self.write_each(request, [user], lambda user: unlock_user(user=user))
        self.say_done(
            request, ngettext("%d user unlocked.", "%d users unlocked.", done), done
        )
        return self._back_to(user)

    def _changeable(self, request: HttpRequest, object_id: str) -> User:
        user: Any = self.get_object(request, unquote(object_id))
        if user is None:
            raise Http404
        if not self.has_change_permission(request, user):
            raise PermissionDenied
        return user  # type: ignore[no-any-return]

    def _back_to(self, user: User) -> HttpResponse:
        page = reverse("admin:accounts_user_change", args=[user.pk])
        return HttpResponseRedirect(page)

    def _shown_once(
        self, request: HttpRequest, user: User, password: str
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("The one-time password"),
            "opts": self.opts,
            "password": password,
            "owner": user,
        }
        return TemplateResponse(request, "accounts/one_time_password.html", context)

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
