"""The data processors of the catalogs: the examples of automated import."""

from __future__ import annotations

from catalogs.processors.import_items_from_csv import ImportItemsFromCsv
from catalogs.processors.import_package_from_url import ImportPackageFromUrl

__all__ = ["ImportItemsFromCsv", "ImportPackageFromUrl"]
