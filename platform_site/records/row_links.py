"""The pages of business rows, to which reports of runs link."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.db import models
from django.urls import NoReverseMatch, reverse


def link_to_row(model: type[models.Model], row_id: int, user: Any) -> str:
    """Return the URL of the page to read a row, or else of its only page, for users who
    may see it, else an empty text."""
    options = model._meta
    name = f"{options.app_label}.view_{options.model_name}"
    if not user.is_staff or not user.has_perm(name):
        return ""
    return page_of_row(model, row_id)


def page_of_row(model: type[models.Model], row_id: int) -> str:
    """Return the URL of the page to read a row, or else of its only page, an empty text
    if it has none."""
    options = model._meta
    for page in ("row", "change"):
        name = f"admin:{options.app_label}_{options.model_name}_{page}"
        with suppress(NoReverseMatch):  # it has no such page
            return reverse(name, args=[row_id])
    return ""
