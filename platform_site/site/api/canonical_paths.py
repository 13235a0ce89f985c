"""The canonical spelling of API paths, from any letter case, by the known words of the
site's paths."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import URLResolver, get_resolver


def canonical(path: str) -> str:
    """Return a path without trailing slashes and with its known words spelled
    correctly."""
    known = _words_of(get_resolver())
    parts = path.rstrip("/").split("/")
    return "/".join(known.get(p, p) if p.islower() else p for p in parts)


@functools.lru_cache(maxsize=1)
def _words_of(site: URLResolver) -> Mapping[str, str]:
    """Return the words of the API's paths by their lower-case form."""
    return {word.lower(): word for word in _words(site.url_patterns)}


def _words(patterns: Any, under: str = "") -> Iterator[str]:
    for pattern in patterns:
        path = f"{under}/{pattern.pattern}"
        if hasattr(pattern, "url_patterns"):
            yield from _words(pattern.url_patterns, path)
        elif path.strip("/").startswith("api/"):
            yield from (part for part in path.split("/") if part.isalnum())
