"""A row that an import brought, and what tests ask of rows and of refusals."""

from __future__ import annotations

from catalogs.models import Warehouse
from importer.package.shapes import Mark
from importer.pipeline.ports import Write
from platform_site.records import services
from tests.catalogs.rows import boss

MARK = Mark("Import", "corpus", "wh:1", "0" * 64)
MARK_FIELDS = (
    "import_origin",
    "import_source",
    "import_key",
    "import_source_hash",
    "import_imported_at",
)


def imported_warehouse():
    """Create a warehouse as an import does, with its mark."""
    order = Write({"code": "M", "name": "Main"}, boss())
    return services.commit(services.prepare(order, Warehouse), MARK)


def columns(row):
    """Return every stored column of a row by its name."""
    return type(row)._base_manager.filter(pk=row.pk).values().get()


def sentences(refusal):
    """Return what a caught refusal says, by the path it says it of."""
    return {problem.path: problem.message for problem in refusal.value.problems}
