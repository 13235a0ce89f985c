"""The admin pages of business rows: forms parse the input, services validate and write,
and refusals are shown at their fields."""

from __future__ import annotations

from platform_site.records.admin.base import RecordAdmin
from platform_site.records.admin.filters import (
    DeletedFilter,
    ReferenceFilter,
    ReferenceFiltersMixin,
)
from platform_site.records.admin.form import is_key
from platform_site.records.admin.reference_search import ReferenceSearchMixin

__all__ = [
    "DeletedFilter",
    "RecordAdmin",
    "ReferenceFilter",
    "ReferenceFiltersMixin",
    "ReferenceSearchMixin",
    "is_key",
]
