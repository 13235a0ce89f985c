"""The peer's resource: found by code, unchanged rows skipped, references by code."""

from __future__ import annotations

from import_export import fields, resources, widgets

from tests.benchmarks.peer.models import Item, Unit


class ItemResource(resources.ModelResource):
    parent = fields.Field(
        column_name="parent",
        attribute="parent",
        widget=widgets.ForeignKeyWidget(Item, "code"),
    )
    unit_of_measure = fields.Field(
        column_name="unit_of_measure",
        attribute="unit_of_measure",
        widget=widgets.ForeignKeyWidget(Unit, "code"),
    )

    class Meta:
        model = Item
        import_id_fields = ("code",)
        skip_unchanged = True
        report_skipped = True
        clean_model_instances = True
        fields = (
            "is_folder",
            "code",
            "name",
            "parent",
            "description",
            "category",
            "unit_of_measure",
            "barcode",
            "price",
        )
