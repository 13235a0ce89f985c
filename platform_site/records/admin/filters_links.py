"""The words of the filters that links of other pages set, such as the rows of one item."""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import FieldDoesNotExist
from django.db.models import BooleanField
from django.utils.translation import gettext

from platform_site.changes.labels import NOTHING, in_words
from platform_site.records.admin.filters import name_seen
from platform_site.records.admin.form import is_key

# As Django reads them.
_NO: Final = ("", "0", "false", "False")


def linked_text(changelist: Any, name: str, value: str) -> str:
    """Return the value of a parameter in words: rows by name, and yes or no.

    The pages of a list may have ``linked_text`` for parameters of their own.
    """
    pages = changelist.model_admin
    own = getattr(pages, "linked_text", None)
    text = "" if own is None else str(own(name, value, changelist.params))
    if text:
        return text
    field = field_named(changelist.opts, name)
    if name.endswith("__isnull"):
        return gettext("yes") if value in _NO else NOTHING
    if isinstance(field, BooleanField):
        return in_words(value not in _NO)
    if field is not None and field.is_relation and is_key(value):
        model: Any = field.related_model
        return name_seen(changelist.request, pages.admin_site, model, value)
    return value


def field_named(opts: Any, name: str) -> Any:
    """Return the column of a parameter, None without one."""
    try:
        return opts.get_field(name.partition("__")[0])
    except FieldDoesNotExist:
        return None
