"""The rights that mean something to people: those that a page or a service asks for.
Django creates four for each model, also for its own tables and for rows that nobody
writes by hand."""

from __future__ import annotations

from typing import Any, Final

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db.models import Model
from django.utils.text import capfirst
from django.utils.translation import gettext as _, pgettext_lazy

from platform_site.navigation import Area, registered
from platform_site.read_only_admin import ReadOnlyAdmin
from platform_site.settings.apps import business_labels

# The labels of the verbs that every kind of row has; other rights have a full name.
VERBS: Final = {
    "view": pgettext_lazy("right", "view"),
    "add": pgettext_lazy("right", "enter"),
    "change": pgettext_lazy("right", "change"),
    "delete": pgettext_lazy("right", "delete"),
    "post": pgettext_lazy("right", "post"),
    "unpost": pgettext_lazy("right", "unpost"),
}
EXECUTE: Final = "execute"
_PREFIX: Final = "Execute"
# Imports are for administrators, whatever rights others have.
_BY_ROLE: Final = frozenset({"importer"})
# Without pages, but asked for by services: people upload files for data processors.
_WITHOUT_PAGES: Final = frozenset({("files", "add_storedfile")})


def verb_of(right: Permission) -> str:
    """Return the verb of a right, `execute` for those of data processors."""
    if right.codename.startswith(_PREFIX):
        return EXECUTE
    return right.codename.partition("_")[0]


def is_meaningful(right: Permission) -> bool:
    """Return whether a page or a service asks for a right."""
    verb, model = verb_of(right), right.content_type.model_class()
    if verb == EXECUTE:
        return True
    key = (right.content_type.app_label, right.codename)
    if key in _WITHOUT_PAGES or verb not in ("view", "add", "change", "delete"):
        return True
    if model is None or key[0] in _BY_ROLE:
        return False
    page = admin.site._registry.get(model)
    if page is None:
        # Rows that only the API knows; the lines of documents have no rights of theirs.
        return key[0] in business_labels() and bool(getattr(model, "catalog_name", ""))
    return verb == "view" or not isinstance(page, ReadOnlyAdmin)


def areas() -> dict[type[Model], Any]:
    """Return the title of the work area of each model with a list in the menu, in the
    order of the menu."""
    found = {}
    for entry in registered():
        if entry.model:
            found[apps.get_model(entry.model)] = entry.area.title
    return found


def area_of(right: Permission, known: dict[type[Model], Any]) -> str:
    """Return the work area of a right; for a model without a list in the menu that of
    its app."""
    model: Any = right.content_type.model_class()
    if verb_of(right) == EXECUTE:
        return str(Area.AUTOMATION.title)
    if model in known:
        return str(known[model])
    if model is None:
        return _("Other")
    return capfirst(str(apps.get_app_config(model._meta.app_label).verbose_name))
