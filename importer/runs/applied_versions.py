"""The version of each package that was applied last, after imports and undo."""

from __future__ import annotations

from django.db.models import Max

from importer.models import AppliedPackage, ImportRun
from importer.package.shapes import Header

Status, Kind = ImportRun.Status, ImportRun.Kind


def applied_version(header: Header) -> int | None:
    """Return the highest version of a package that was applied, under all its names."""
    names = (header.package, *header.renamed_from)
    found = AppliedPackage.objects.filter(package__in=names)
    highest: int | None = found.aggregate(highest=Max("version"))["highest"]
    return highest


def note_end(run: ImportRun) -> None:
    """Store the version that a run without errors has applied or taken back."""
    if run.kind == Kind.UNDO:
        _take_back(run)
    elif run.kind != Kind.DECISION:
        _apply(run)


def _apply(run: ImportRun) -> None:
    values = {
        "version": run.version or 0,
        "applied_at": run.finished_at or run.started_at,
    }
    if not AppliedPackage.objects.filter(package=run.package).update(**values):
        AppliedPackage.objects.create(package=run.package, **values)


def _take_back(undo: ImportRun) -> None:
    """Store the version that was applied before the undone run, if that run applied the
    present one."""
    undone = undo.based_on
    if undone is None or undone.finished_at is None:
        return
    applied = AppliedPackage.objects.filter(
        package=undo.package, applied_at=undone.finished_at
    )
    undoing = ImportRun.objects.real().filter(
        kind=Kind.UNDO,
        based_on__isnull=False,
        status=Status.COMPLETED,
        has_errors=False,
    )
    earlier = (
        ImportRun.objects.real()
        .filter(
            package=undo.package,
            kind__in=(Kind.PACKAGE, Kind.PLAN),
            status=Status.COMPLETED,
            has_errors=False,
            finished_at__lt=undone.finished_at,
        )
        .exclude(pk__in=undoing.values("based_on"))
        .order_by("-finished_at")
        .first()
    )
    if earlier is None:
        applied.delete()
    else:
        applied.update(
            version=earlier.version or 0,
            applied_at=earlier.finished_at or earlier.started_at,
        )
