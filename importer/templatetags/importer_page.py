"""Write numbers, moments and outcomes the same way wherever the page shows them."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.template.defaultfilters import filesizeformat
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def number(value: int) -> str:
    """Write a whole number with the separators of the reader's language."""
    return formats.number_format(value, force_grouping=True)


@register.filter
def moment(value: datetime | None) -> str | SafeString:
    """Write a moment; the page's script puts it into the reader's zone and in words."""
    if value is None:
        return ""
    local = timezone.localtime(value)
    shown = formats.date_format(local, "DATETIME_FORMAT")
    return format_html("<time datetime='{}'>{}</time>", value.isoformat(), shown)


@register.filter
def bytes_in_words(value: int) -> str:
    """Write a size in bytes as a reader expects it."""
    return filesizeformat(value)
