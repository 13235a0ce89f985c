"""The admin pages of roles: a name, and the rights for each kind of row."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db.models import Count, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy as _

from platform_site.accounts.built_in import ROLES
from platform_site.accounts.consequences import telling
from platform_site.accounts.delegation import covers_role
from platform_site.accounts.meaningful_rights import VERBS, is_meaningful
from platform_site.accounts.models import Role, User
from platform_site.accounts.rights_field import RightsField, offered_rights
from platform_site.accounts.role_presets import role_preset, role_presets
from platform_site.accounts.role_summaries import summary_of
from platform_site.accounts.roles import delete_role, save_role, why_not_deleted
from platform_site.changes.edit_conflicts import SeenAdmin, SeenForm
from platform_site.changes.labels import ColumnLabels

_MOST_SHOWN: Final = 50

# Django registers the same page for groups.
admin.site.unregister(Group)


class RoleForm(SeenForm, forms.ModelForm[Role]):
    """The form of a role: its name, and its rights grouped by kind of row."""

    permissions = RightsField(label=_("Rights"))

    class Meta:
        model = Role
        fields = ("name", "permissions")
        error_messages = {
            "name": {
                "unique": _(
                    "A role with this name already exists; choose another name."
                )
            }
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields.get("permissions")
        if field is not None:
            field.offer()
        if self.instance.name in ROLES and "name" in self.fields:
            # The platform looks these roles up by their names.
            self.fields["name"].disabled = True

    @property
    def all_permissions(self) -> list[Permission]:
        """Return the chosen rights, and those of the role that aren't offered."""
        chosen = list(self.cleaned_data["permissions"])
        if self.instance.pk is None:
            return chosen
        had = self.instance.permissions.select_related("content_type")
        return [*chosen, *(each for each in had if not is_meaningful(each))]


class RoleLabels(ColumnLabels):
    """The labels for change events of a role, which name each right added or
    removed."""

    def label(self, name: str) -> str:
        """Return the label of a right: the kind of row and the verb."""
        app, dot, codename = name.partition(".")
        verb, _line, model = codename.partition("_")
        if not dot:
            return super().label(name)
        if verb not in VERBS:
            return gettext(self._others.get((app, codename), name))
        try:
            kind = apps.get_model(app, model)._meta.verbose_name_plural
        except LookupError:  # of a removed app
            return name
        return f"{capfirst(str(kind))}: {VERBS[verb]}"

    @cached_property
    def _others(self) -> dict[tuple[str, str], str]:
        """The names of rights that aren't composed of a verb and a model."""
        found = Permission.objects.values_list(
            "content_type__app_label", "codename", "name"
        )
        return {(app, codename): name for app, codename, name in found}


@admin.register(Role)
class RoleAdmin(SeenAdmin, GroupAdmin):
    """The list and the form of roles."""

    form = RoleForm
    fields = ("name", "permissions")
    filter_horizontal = ()
    ordering = (Lower("name"),)
    list_display = ("name", "summary", "holders")
    change_form_template = "accounts/role_form.html"
    # No bulk deletion, since each role may have its own reason to stay.
    actions = None

    @property
    def labels(self) -> RoleLabels:
        """Return the labels for change events of roles."""
        return RoleLabels(self.model)

    class Media:
        css = {"all": ("accounts/roles.css",)}
        js = ("accounts/roles.js",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Role]:
        """Return the roles with their rights, and how many accounts have each."""
        roles: QuerySet[Role] = super().get_queryset(request)
        counted = roles.annotate(holder_count=Count("user", distinct=True))
        return counted.prefetch_related("permissions__content_type")

    @admin.display(description=_("what it allows"))
    def summary(self, role: Role) -> str:
        """Return what the role allows, in a sentence."""
        return summary_of(role)

    @admin.display(description=_("users"), ordering="holder_count")
    def holders(self, role: Role) -> int:
        """Return how many accounts have the role."""
        return int(role.holder_count)  # type: ignore[attr-defined]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin a new role with the name and rights of a preset, or of another role."""
        offered = offered_rights()
        source = self.get_object(request, request.GET.get("copy", ""))
        if source is None:
            preset = role_preset(request.GET.get("preset", ""))
            if preset is None:
                return {}
            rights = [each.pk for each in offered if preset.includes(each)]
            return {"name": str(preset.title), "permissions": rights}
        had = {each.pk for each in source.permissions.all()}
        return {
            "name": gettext("Copy of %(role)s") % {"role": source.name},
            "permissions": [each.pk for each in offered if each.pk in had],
        }

    def write(
        self, request: HttpRequest, row: Role, form: Any, *, change: bool
    ) -> None:
        """Save the role with its rights and one change event."""
        holders = User.objects.filter(groups=row.pk or 0)
        with telling(request, holders):
            save_role(role=row, permissions=form.all_permissions)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Render the form with presets for a new role, and with the accounts that have
        a stored one; built-in roles have no delete button."""
        role: Any = kwargs.get("obj")
        if role is not None and role.name in ROLES:
            context["show_delete"] = False
        if role is None:
            context["presets"] = role_presets()
            context["chosen_preset"] = request.GET.get("preset", "")
        else:
            users = User.objects.filter(groups=role.pk)
            context["holders"] = list(users[:_MOST_SHOWN])
            context["holder_count"] = role.holder_count
            context["summary"] = summary_of(role)
        context["may_add"] = self.has_add_permission(request)
        context["sees_users"] = request.user.has_perm("accounts.view_user")
        return super().render_change_form(request, context, *args, **kwargs)

    def delete_view(self, request: HttpRequest, object_id: str, *more: Any) -> Any:
        """Ask for confirmation and delete; redirect to the role with a reason if it
        can't be."""
        role = self.get_object(request, unquote(object_id))
        reason = "" if role is None else why_not_deleted(role)
        if not reason:
            try:
                return super().delete_view(request, object_id, *more)
            except ValidationError as refusal:  # a user has just got it
                reason = " ".join(refusal.messages)
        self.message_user(request, reason, messages.ERROR)
        page = reverse("admin:accounts_role_change", args=[object_id])
        return HttpResponseRedirect(page)

    def has_change_permission(
        self, request: HttpRequest, obj: Role | None = None
    ) -> bool:
        """Return whether the user may change it: only with all the rights that it
        gives."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or covers_role(obj))

    def has_delete_permission(
        self, request: HttpRequest, obj: Role | None = None
    ) -> bool:
        """Return whether the user may delete it: only with all the rights that it
        gives."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or covers_role(obj))

    def delete_model(self, request: HttpRequest, obj: Role) -> None:
        """Delete the role with the service."""
        delete_role(role=obj)
