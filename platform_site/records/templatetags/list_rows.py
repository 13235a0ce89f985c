"""The template tags of lists: the rows, and the links of the head."""

from __future__ import annotations

from typing import Any

from django import template

from platform_site.records.admin.columns_cells import ListTable, table_of

register = template.Library()


@register.simple_tag
def list_table(changelist: Any) -> ListTable:
    """Return the table of a page of a list."""
    return table_of(changelist)


@register.simple_tag(takes_context=True)
def export_links(context: Any, changelist: Any) -> list[tuple[Any, str]]:
    """Return the texts and addresses of the files of a list."""
    linked = getattr(changelist.model_admin, "export_links", None)
    return [] if linked is None else linked(context["request"], changelist)


@register.simple_tag(takes_context=True)
def import_links(context: Any, changelist: Any) -> list[tuple[Any, str]]:
    """Return the texts and addresses of the pages that import into a list, those of its
    empty table after them."""
    linked = getattr(changelist.model_admin, "import_links", None)
    return [] if linked is None else linked(context["request"])
