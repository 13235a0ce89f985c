"""Business rows in the administration: forms parse what a person typed, the services
decide and write, and whatever they refuse comes back to the field it is about."""

from __future__ import annotations

from platform_site.records.admin.base import RecordAdmin
from platform_site.records.admin.filters import (
    DeletedFilter,
    ReferenceFilter,
    ReferenceFiltersMixin,
)
from platform_site.records.admin.form import RecordForm, is_key

__all__ = [
    "DeletedFilter",
    "RecordAdmin",
    "RecordForm",
    "ReferenceFilter",
    "ReferenceFiltersMixin",
    "is_key",
]
