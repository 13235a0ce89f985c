"""The models of the importer, and the mark columns of import targets."""

from __future__ import annotations

from importer.models.applied_package import AppliedPackage
from importer.models.import_run import ImportRun, ReportChunk
from importer.models.mark import ImportMarked
from importer.models.package_piece import PackagePiece
from importer.models.package_upload import PackageUpload
from importer.models.proposed_import import ProposedImport
from importer.models.queued_run import QueuedRun
from importer.models.table_source import TableSource

__all__ = [
    "AppliedPackage",
    "ImportMarked",
    "ImportRun",
    "PackagePiece",
    "PackageUpload",
    "ProposedImport",
    "QueuedRun",
    "ReportChunk",
    "TableSource",
]
