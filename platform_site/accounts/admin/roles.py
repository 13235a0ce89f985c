"""The admin pages of roles: a name, and the rights for each kind of row."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.built_in import ROLES
from platform_site.accounts.consequences import telling
from platform_site.accounts.delegation import covers_role, own_rights
from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import delete_role, save_role, why_not_deleted
from platform_site.changes.edit_conflicts import SeenAdmin, SeenForm
from platform_site.changes.labels import ColumnLabels

# The labels of the verbs that every kind of row has; other rights have a full name.
_VERBS = {
    "view": pgettext_lazy("right", "view"),
    "add": pgettext_lazy("right", "add"),
    "change": pgettext_lazy("right", "change"),
    "delete": pgettext_lazy("right", "delete"),
    "post": pgettext_lazy("right", "post"),
    "unpost": pgettext_lazy("right", "unpost"),
}

# Django registers the same page for groups.
admin.site.unregister(Group)


class RoleForm(SeenForm, forms.ModelForm[Role]):
    """The form of a role: its name, and its rights grouped by kind of row."""

    permissions = forms.ModelMultipleChoiceField(
        Permission.objects.all(),
        label=_("Rights"),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "rights"}),
    )

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
            field.queryset = own_rights()
            field.choices = _by_kind(own_rights().select_related("content_type"))
        if self.instance.name in ROLES and "name" in self.fields:
            # The platform looks these roles up by their names.
            self.fields["name"].disabled = True


class RoleLabels(ColumnLabels):
    """The labels for change events of a role, which name each right added or
    removed."""

    def label(self, name: str) -> str:
        """Return the label of a right: the kind of row and the verb."""
        app, dot, codename = name.partition(".")
        verb, _line, model = codename.partition("_")
        if not dot:
            return super().label(name)
        if verb not in _VERBS:
            return gettext(self._others.get((app, codename), name))
        try:
            kind = apps.get_model(app, model)._meta.verbose_name_plural
        except LookupError:  # of a removed app
            return name
        return f"{capfirst(str(kind))}: {_VERBS[verb]}"

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
    # No bulk deletion, since each role may have its own reason to stay.
    actions = None

    @property
    def labels(self) -> RoleLabels:
        """Return the labels for change events of roles."""
        return RoleLabels(self.model)

    class Media:
        css = {"all": ("accounts/roles.css",)}

    def write(
        self, request: HttpRequest, row: Role, form: Any, *, change: bool
    ) -> None:
        """Save the role with its rights and one change event."""
        holders = User.objects.filter(groups=row.pk or 0)
        with telling(request, holders):
            save_role(role=row, permissions=form.cleaned_data["permissions"])

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Render the form; built-in roles have no delete button."""
        role: Any = kwargs.get("obj")
        if role is not None and role.name in ROLES:
            context["show_delete"] = False
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


def _by_kind(permissions: Any) -> list[tuple[str, list[tuple[int, str]]]]:
    """Return the rights as choices, grouped by kind of row."""
    order = {config.label: at for at, config in enumerate(apps.get_app_configs())}
    groups: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for each in permissions:
        kind = each.content_type
        model = kind.model_class()
        name = kind.model if model is None else model._meta.verbose_name_plural
        key = (-order.get(kind.app_label, 0), str(capfirst(str(name))))
        groups.setdefault(key, []).append((each.pk, _called(each)))
    # In the order of the list above, which is the expected one.
    verbs = {str(verb): place for place, verb in enumerate(_VERBS.values())}
    for rights in groups.values():
        rights.sort(key=lambda right: verbs.get(right[1], len(verbs)))
    return [(name, rights) for (_place, name), rights in sorted(groups.items())]


def _called(permission: Permission) -> str:
    verb = permission.codename.partition("_")[0]
    return str(_VERBS.get(verb) or gettext(permission.name))
