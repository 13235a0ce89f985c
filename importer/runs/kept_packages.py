"""The packages of runs, kept as long as somebody may act on the run.

A dry run keeps its package for as long as its report, so that an import can carry out
exactly its plan. An import keeps it until the next import of the same package if rows
were kept, so that an administrator can decide about them, or if objects failed, so that
they can be corrected. A queued run has its package here until it begins.

If the package was made from a table, the table is kept as long as the package: it has
what the package leaves out, and the cells as they were written.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import msgspec
from django.db import transaction
from django.db.models import QuerySet

from importer import conf
from importer.models import ImportRun, PackagePiece
from importer.runs.options import ImportedTable, RunOrder

_PIECE = 1 << 20
_FAST = 1


def keep(order: RunOrder, run: ImportRun) -> None:
    """Store the bytes of a run's package, and of its table, from the start of each to
    its end."""
    with transaction.atomic():
        _store(run, order.source, of_table=False)
        if order.table is not None:
            _store(run, order.table.file, of_table=True)


def _store(run: ImportRun, source: BinaryIO, *, of_table: bool) -> None:
    source.seek(0)
    for number, piece in enumerate(iter(lambda: source.read(_PIECE), b"")):
        data = zlib.compress(piece, _FAST)
        PackagePiece.objects.create(
            run=run, of_table=of_table, number=number, data=data
        )


def is_kept(run: ImportRun) -> bool:
    """Return whether the package of a run is kept."""
    if not run.dry_run and imports_of(run.package).first() != run:
        return False
    return run.pieces.exists()


def has_table(run: ImportRun) -> bool:
    """Return whether the table of a run is kept."""
    return bool(run.table) and run.pieces.filter(of_table=True).exists()


def opened(run: ImportRun) -> BinaryIO | None:
    """Return a temporary file with a run's package, None if it isn't kept.

    The caller closes the file.
    """
    return _opened(run, of_table=False)


def opened_table(run: ImportRun) -> ImportedTable | None:
    """Return the table that a run's package was made from, None if it isn't kept.

    The caller closes its file.
    """
    file = _opened(run, of_table=True) if run.table else None
    return None if file is None else ImportedTable(file, msgspec.json.decode(run.table))


def _opened(run: ImportRun, *, of_table: bool) -> BinaryIO | None:
    file = tempfile.TemporaryFile(dir=conf.setting("TEMP_FOLDER"))  # noqa: SIM115 - the caller closes it
    try:
        for piece in _pieces(run.pieces.filter(of_table=of_table)):
            file.write(piece)
        if not file.tell():
            file.close()
            return None
        file.seek(0)
    except PackagePiece.DoesNotExist:  # removed just now
        file.close()
        return None
    except BaseException:
        file.close()
        raise
    return file


def _pieces(pieces: QuerySet[PackagePiece]) -> Iterator[bytes]:
    """Yield the bytes of a file; one piece at a time is in memory."""
    numbers = list(pieces.values_list("number", flat=True))
    for number in numbers:
        data = pieces.values_list("data", flat=True).get(number=number)
        yield zlib.decompress(bytes(data))


def remove_old() -> None:
    """Remove the packages of imports that are no longer the newest of theirs."""
    real = PackagePiece.objects.filter(run__dry_run=False)
    runs = ImportRun.objects.exclude(status=ImportRun.Status.QUEUED)
    for run in runs.filter(pk__in=real.values("run")):
        if imports_of(run.package).first() != run:
            run.pieces.all().delete()


def imports_of(package: str) -> QuerySet[ImportRun]:
    """Return the imports of a package, newest first, without queued ones, and without
    decisions about rows and undo, which keep no rows."""
    kinds = (ImportRun.Kind.PACKAGE, ImportRun.Kind.PLAN)
    imports = ImportRun.objects.real().filter(kind__in=kinds)
    imports = imports.exclude(status=ImportRun.Status.QUEUED)
    return imports.filter(package=package).order_by("-started_at")
