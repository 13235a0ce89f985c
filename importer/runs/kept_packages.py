"""The packages of runs, kept as long as somebody may act on the run.

A dry run keeps its package for as long as its report, so that an import can carry out
exactly its plan. An import keeps it until the next import of the same package if rows
were kept, so that an administrator can decide about them, or if objects failed, so that
they can be corrected. A queued run has its package here until it begins.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from django.db import transaction
from django.db.models import QuerySet

from importer import conf
from importer.models import ImportRun, PackagePiece

_PIECE = 1 << 20
_FAST = 1


def keep(run: ImportRun, source: BinaryIO) -> None:
    """Store the bytes of a run's package, from the start of the source to its end."""
    source.seek(0)
    with transaction.atomic():
        for number, piece in enumerate(iter(lambda: source.read(_PIECE), b"")):
            data = zlib.compress(piece, _FAST)
            PackagePiece.objects.create(run=run, number=number, data=data)


def is_kept(run: ImportRun) -> bool:
    """Return whether the package of a run is kept."""
    if not run.dry_run and _imports_of(run.package).first() != run:
        return False
    return run.pieces.exists()


def opened(run: ImportRun) -> BinaryIO | None:
    """Return a temporary file with a run's package, None if it isn't kept.

    The caller closes the file.
    """
    file = tempfile.TemporaryFile(dir=conf.setting("TEMP_FOLDER"))  # noqa: SIM115 - the caller closes it
    try:
        for piece in _pieces(run):
            file.write(piece)
        if not file.tell():
            file.close()
            return None
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _pieces(run: ImportRun) -> Iterator[bytes]:
    """Yield the bytes of a package; one piece at a time is in memory."""
    numbers = list(run.pieces.values_list("number", flat=True))
    for number in numbers:
        data = run.pieces.values_list("data", flat=True).get(number=number)
        yield zlib.decompress(bytes(data))


def remove_old() -> None:
    """Remove the packages of imports that are no longer the newest of theirs."""
    real = PackagePiece.objects.filter(run__dry_run=False)
    runs = ImportRun.objects.exclude(status=ImportRun.Status.QUEUED)
    for run in runs.filter(pk__in=real.values("run")):
        if _imports_of(run.package).first() != run:
            run.pieces.all().delete()


def _imports_of(package: str) -> QuerySet[ImportRun]:
    """Return the imports of a package, newest first, without queued ones, and without
    decisions about rows and undo, which keep no rows."""
    kinds = (ImportRun.Kind.PACKAGE, ImportRun.Kind.PLAN)
    imports = ImportRun.objects.real().filter(kind__in=kinds)
    imports = imports.exclude(status=ImportRun.Status.QUEUED)
    return imports.filter(package=package).order_by("-started_at")
