"""The peer's resources: found by code, references by code, in three settings."""

from __future__ import annotations

from import_export import fields, resources, widgets
from import_export.instance_loaders import CachedInstanceLoader

from tests.benchmarks import workload
from tests.benchmarks.peer.models import BulkItem, Item, PlainItem, Unit

REFERENCES = ("parent", "unit_of_measure")


def references(model, widget):
    """Return the fields of the two references of a model."""
    return {
        name: fields.Field(
            column_name=name, attribute=name, widget=widget(target, "code")
        )
        for name, target in zip(REFERENCES, (model, Unit), strict=True)
    }


def resource(model_class, widget=widgets.ForeignKeyWidget, **options):
    """Return a resource of a model with the options of django-import-export."""
    named = {"import_id_fields": ("code",), "fields": workload.COLUMNS}
    meta = type("Meta", (), {"model": model_class, **named, **options})
    body = {**references(model_class, widget), "Meta": meta}
    return type(f"{model_class.__name__}Resource", (resources.ModelResource,), body)


# What an installation uses that wants the same of it: valid rows, and their history.
WITH_HISTORY = resource(Item, skip_unchanged=True, clean_model_instances=True)
DEFAULTS = resource(PlainItem)


class Tuned(
    resource(
        BulkItem,
        widgets.CachedForeignKeyWidget,
        use_bulk=True,
        batch_size=1000,
        skip_unchanged=True,
        skip_html_diff=True,
        report_skipped=False,
        instance_loader_class=CachedInstanceLoader,
    )
):
    """All that its documentation offers for speed, `skip_diff` excepted, which would
    write unchanged rows again. It neither validates rows nor keeps a history."""

    def get_queryset(self):
        """Return rows with those they refer to, which comparing them asks for."""
        return super().get_queryset().select_related(*REFERENCES)


def imported(resource_class, rows, outcome, **options):
    """Import rows as an ordinary Django project does, and check that all but the folder
    had an outcome: `new`, `update` or `skip`."""
    result = resource_class().import_data(rows, raise_errors=True, **options)
    assert not result.has_errors()
    assert result.totals[outcome] >= len(rows) * 0.98 - 1, result.totals
