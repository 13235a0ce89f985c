"""The template tag that draws an icon from the sprite ``icons.svg``."""

from __future__ import annotations

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return the icon as decoration: the text beside it, or the label of its link,
    says what it means."""
    return format_html(
        '<svg class="icon" width="16" height="16" aria-hidden="true" focusable="false">'
        '<use href="{}#{}"></use></svg>',
        static("icons.svg"),
        name,
    )
