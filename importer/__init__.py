"""An idempotent import engine: a package can be applied any number of times, and the
outcome of each object is reported.

Add ``importer`` to ``INSTALLED_APPS``, register a model with a DRF serializer in a
module ``importing.py``, and call ``importer.services.import_package``.

This module has the basic types, usable before Django is set up. The rest of the public
interface is five modules: ``importer.services`` (run packages and read reports),
``importer.registry`` (what a project registers), ``importer.targets`` (targets, wire
serializers and the write core), ``importer.api`` (endpoints, with the extra ``api``)
and ``importer.commands`` (what management commands share); ``importer.models`` has the
models. Everything else is internal.
"""

from __future__ import annotations

from importer.csv_files import CSV_CONTENT_TYPE, csv_pieces
from importer.package import paths
from importer.package.duplicate_keys import DuplicateKey, without_duplicate_keys
from importer.package.file_names import file_name
from importer.package.json_values import explain_json_error
from importer.package.printable_text import cut, printable
from importer.package.shapes import (
    FORMAT,
    LimitReached,
    Mark,
    NotAllowed,
    Origin,
    Outcome,
    Problem,
    Refusal,
    Severity,
)
from importer.package.step_policies import OnChange, OnUserModified
from importer.package.suggestions import did_you_mean
from importer.package.time_zones import UnknownTimeZone, named_zone, zone_names
from importer.package.tokens import Moment
from importer.package.undo_results import UndoOutcome
from importer.package.wire_values import short

__all__ = [
    "CSV_CONTENT_TYPE",
    "FORMAT",
    "DuplicateKey",
    "LimitReached",
    "Mark",
    "Moment",
    "NotAllowed",
    "OnChange",
    "OnUserModified",
    "Origin",
    "Outcome",
    "Problem",
    "Refusal",
    "Severity",
    "UndoOutcome",
    "UnknownTimeZone",
    "csv_pieces",
    "cut",
    "did_you_mean",
    "explain_json_error",
    "file_name",
    "named_zone",
    "paths",
    "printable",
    "short",
    "without_duplicate_keys",
    "zone_names",
]
