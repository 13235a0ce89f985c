"""The tables of the importer, and the columns a row of an import target carries."""

from __future__ import annotations

from importer.models.applied_package import AppliedPackage
from importer.models.import_run import ImportRun, ReportChunk
from importer.models.mark import ImportMarked
from importer.models.package_upload import PackageUpload

__all__ = [
    "AppliedPackage",
    "ImportMarked",
    "ImportRun",
    "PackageUpload",
    "ReportChunk",
]
