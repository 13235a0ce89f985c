"""The box above all pages, and the emphasis of what matches."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from platform_site.search_sources import LONGEST, Search

register = template.Library()


@register.inclusion_tag("search/box.html", takes_context=True)
def search_box(context: dict[str, Any]) -> dict[str, Any]:
    """Show the box, with what the page of results has searched for."""
    search = context.get("search")
    typed = search.text if isinstance(search, Search) else ""
    return {"typed": typed, "longest": LONGEST}


@register.filter
def emphasised(text: str, words: list[str]) -> SafeString:
    """Return a text in which the words that were looked for are marked."""
    longest_first = sorted(filter(None, words), key=len, reverse=True)
    if not longest_first:
        return conditional_escape(text)
    parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text, flags=re.I)
    # Every second part is what was split at.
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<mark>{}</mark>", p) if at % 2 else p,)
            for at, p in enumerate(parts)
        ),
    )
