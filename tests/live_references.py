"""The invariant of all business rows: a live one never refers to a deleted one, rows lie
in folders only, and no folder lies inside itself."""

from __future__ import annotations

from django.apps import apps

from catalogs.models.catalog import HierarchicalCatalog
from platform_site.records.models import Record
from platform_site.records.references import references_in


def assert_references_live():
    """Fail if a live row, or a line of one, names a row it may not, or a folder is lost."""
    for model in apps.get_models():
        if not issubclass(model, Record):
            continue
        for row in model.objects.live():
            for reference in references_in(row):
                named = reference.wanted.model._base_manager.get(pk=reference.row_id)
                for column, value in reference.wanted.conditions:
                    said = f"{model.__name__} {row}: {reference.path} names {named}"
                    assert getattr(named, column) == value, f"{said}, {column} of which"
        if issubclass(model, HierarchicalCatalog):
            assert_no_circle(model)


def assert_no_circle(model):
    """Fail if some folder lies inside itself."""
    parents = dict(model._base_manager.values_list("pk", "parent_id"))
    for row_id in parents:
        seen, above = {row_id}, parents[row_id]
        while above is not None:
            assert above not in seen, f"{model.__name__} {row_id} lies in a circle"
            seen.add(above)
            above = parents[above]
