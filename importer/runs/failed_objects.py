"""The objects of a run that failed or whose rows were kept, as a package of their own: to
be corrected, and imported without the rest."""

from __future__ import annotations

import tempfile
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from importer import conf
from importer.models import ImportRun
from importer.package.parts import write_part
from importer.package.shapes import KEPT, Outcome
from importer.pipeline.report import unpack_chunk
from importer.runs import kept_packages, package_uploads
from importer.sources import digest_of, embedded_package

WANTED = frozenset({Outcome.FAILED, *KEPT})
# Updated rows are wanted only if they kept values.
_MAYBE = frozenset({*WANTED, Outcome.UPDATED})
# A decision has chosen objects, and an undo has rows.
_KINDS = (ImportRun.Kind.PACKAGE, ImportRun.Kind.PLAN)


class NoFailedObjects(LookupError):
    """A run without failed objects and without kept rows."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "No object of this run failed, and no row was kept, so there is nothing to "
                "correct."
            )
        )


class PackageNotKept(LookupError):
    """A run whose package isn't there any more."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "The package of this run is no longer kept. Correct the objects in the file "
                "that was imported."
            )
        )


class TableNotKept(PackageNotKept):
    """A run that imported no table, or whose table isn't there any more."""

    def __init__(self) -> None:
        LookupError.__init__(
            self,
            _(
                "This run imported no table, or the table is no longer kept. Correct the "
                "rows in the file that was imported."
            ),
        )


def has_failed_objects(run: ImportRun) -> bool:
    """Return whether an ended run has failed objects or kept rows in its report."""
    of_objects = run.has_ended and run.kind in _KINDS
    return of_objects and (
        run.conflicts > 0 or any(run.counts.get(outcome) for outcome in WANTED)
    )


def has_rows_to_correct(run: ImportRun) -> bool:
    """Return whether the table of a run is kept, and has failed or kept rows."""
    tables = (one for one in holders(run) if kept_packages.has_table(one))
    return has_failed_objects(run) and any(tables)


def holders(run: ImportRun) -> list[ImportRun]:
    """Return the runs that may have the package and the table: this one, and that of its
    plan."""
    return [one for one in (run, run.based_on) if one is not None]


def failed_objects(run: ImportRun) -> BinaryIO:
    """Return a temporary file with the package of the objects that failed or whose rows
    were kept, with those that they refer to; the caller closes it.

    Raise NoFailedObjects and PackageNotKept.
    """
    numbers = _numbers(run) if has_failed_objects(run) else set()
    if not numbers:
        raise NoFailedObjects
    source = _package_of(run)
    if source is None:
        raise PackageNotKept
    with source:
        file = tempfile.TemporaryFile(dir=conf.setting("TEMP_FOLDER"))  # noqa: SIM115 - the caller closes it
        try:
            write_part(source, numbers, file)
            file.seek(0)
        except BaseException:
            file.close()
            raise
    return file


def _numbers(run: ImportRun) -> set[int]:
    """Return the numbers of the objects; entries have those of their objects."""
    found = set()
    for first, counts in list(run.chunks.values_list("first", "counts")):
        if any(counts.get(outcome) for outcome in _MAYBE):
            data = run.chunks.values_list("data", flat=True).get(first=first)
            for number, one in enumerate(unpack_chunk(bytes(data)), start=first):
                if one.outcome is Outcome.FAILED or one.is_kept:
                    found.add(number)
    return found


def _package_of(run: ImportRun) -> BinaryIO | None:
    """Return the package of a run from wherever it still is, None if it is nowhere."""
    for one in holders(run):
        kept = kept_packages.opened(one)
        if kept is not None:
            return kept
    user: Any = run.started_by
    upload = None if user is None else package_uploads.find(user, run.digest)
    try:
        if upload is not None:
            return package_uploads.opened(upload)
        embedded = embedded_package(run.package)
        if embedded is not None and digest_of(embedded) == run.digest:
            return embedded.path.open("rb")
    except FileNotFoundError:  # it was removed just now
        return None
    return None
