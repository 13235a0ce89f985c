"""One sentence for each role: those of the product in words, others by what they
allow."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.utils.html import format_html
from django.utils.translation import gettext as _

from platform_site.accounts.built_in import ADMIN, EMPLOYEE, USER
from platform_site.accounts.meaningful_rights import EXECUTE, is_meaningful, verb_of


def summary_of(role: Group) -> str:
    """Return what a role allows, in a sentence; its rights should be loaded with their
    content types."""
    built_in = {
        ADMIN: _("Everything, with users, roles, imports and the system."),
        EMPLOYEE: _(
            "Enters, changes and posts the data of the business, and runs data "
            "processors."
        ),
        USER: _("Reads the data of the business, over the API alone."),
    }
    if role.name in built_in:
        return built_in[role.name]
    kinds: dict[str, set[Any]] = {}
    for right in role.permissions.all():
        if is_meaningful(right):
            kind = (
                right.codename if verb_of(right) == EXECUTE else right.content_type_id
            )
            kinds.setdefault(verb_of(right), set()).add(kind)
    if not kinds:
        return _("Nothing yet: it has no rights.")
    writes = {*kinds.get("add", ()), *kinds.get("change", ()), *kinds.get("post", ())}
    return _(
        "Kinds of data to view: %(views)s, to change: %(changes)s; data processors: "
        "%(runs)s."
    ) % {
        "views": len(kinds.get("view", ())),
        "changes": len(writes),
        "runs": len(kinds.get(EXECUTE, ())),
    }


class RoleChoices(forms.ModelMultipleChoiceField[Group]):
    """The roles to choose from, each with what it allows."""

    def label_from_instance(self, obj: Group) -> str:
        """Return the name of a role and its sentence."""
        return format_html(
            '{} <span class="role-summary">{}</span>', obj.name, summary_of(obj)
        )
