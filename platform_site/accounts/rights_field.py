"""The field for the rights of a role, by work area and kind of row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.apps import apps
from django.contrib.auth.models import Permission
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from platform_site.accounts.delegation import own_rights
from platform_site.accounts.meaningful_rights import (
    VERBS,
    area_of,
    areas,
    is_meaningful,
    verb_of,
)

Choices = list[tuple[str, list[tuple[int, str]]]]


class RightsByArea(forms.CheckboxSelectMultiple):
    """The rights of a role: work areas, in them kinds of rows, and their verbs."""

    template_name = "accounts/rights.html"
    # The work area of each kind of row, by the name of the kind.
    area_of_kind: dict[str, str] = {}

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        """Add the work areas with their kinds of rows."""
        context = super().get_context(name, value, attrs)
        found: dict[str, list[Any]] = {}
        for kind, options, _index in context["widget"]["optgroups"]:
            area = self.area_of_kind.get(str(kind), "")
            found.setdefault(area, []).append({"name": kind, "options": options})
        context["areas"] = [
            {"title": title, "kinds": kinds} for title, kinds in found.items()
        ]
        return context


class RightsField(forms.ModelMultipleChoiceField[Permission]):
    """The rights that mean something and that the reader may give."""

    widget = RightsByArea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Permission.objects.all(), required=False, **kwargs)

    def offer(self) -> None:
        """Offer what the reader may give."""
        offered = offered_rights()
        self.queryset = Permission.objects.filter(pk__in=[each.pk for each in offered])
        choices, area_of_kind = by_kind(offered)
        self.choices = choices
        self.widget.area_of_kind = area_of_kind


def offered_rights() -> list[Permission]:
    """Return the rights that mean something and that the reader may give."""
    found = own_rights().select_related("content_type")
    return [each for each in found if is_meaningful(each)]


def by_kind(rights: Iterable[Permission]) -> tuple[Choices, dict[str, str]]:
    """Return rights as choices by kind of row, and the work area of each kind; areas
    and kinds are in the order of the menu, then of the apps."""
    known, verbs = areas(), list(VERBS)
    order = [*known]
    configs = {config.label: at for at, config in enumerate(apps.get_app_configs())}
    groups: dict[tuple[int, int, str], list[Permission]] = {}
    area_of_kind: dict[str, str] = {}
    for right in rights:
        model: Any = right.content_type.model_class()
        name = _kind(right)
        area_of_kind[name] = area_of(right, known)
        place = order.index(model) if model in known else len(order)
        key = (place, -configs.get(right.content_type.app_label, 0), name)
        groups.setdefault(key, []).append(right)
    # Kinds of one area stay together, where the first of them is.
    first: dict[str, tuple[int, int, str]] = {}
    for key in sorted(groups):
        first.setdefault(area_of_kind[key[2]], key)
    keys = sorted(groups, key=lambda key: (first[area_of_kind[key[2]]], key))

    def place_of(right: Permission) -> tuple[int, str]:
        verb = verb_of(right)
        return (verbs.index(verb) if verb in verbs else len(verbs), label_of(right))

    choices = [
        (key[2], [(r.pk, label_of(r)) for r in sorted(groups[key], key=place_of)])
        for key in keys
    ]
    return choices, area_of_kind


def label_of(right: Permission) -> str:
    """Return the label of a right beside others of its kind of row."""
    verb, line, model = right.codename.partition("_")
    if line and verb in VERBS and model == right.content_type.model:
        return str(VERBS[verb])
    return _(right.name)


def _kind(right: Permission) -> str:
    model = right.content_type.model_class()
    name = (
        right.content_type.model if model is None else model._meta.verbose_name_plural
    )
    return str(capfirst(str(name)))
