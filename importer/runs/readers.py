"""The right to read reports: users who may import read every report, others those of
runs that they started through a data processor or a job."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from importer import registry
from importer.models import ImportRun
from importer.runs import dry_runs, reading

# Runs started in other ways were started by administrators.
_OWN = (ImportRun.StartedVia.PROCESSOR, ImportRun.StartedVia.JOB)


class UnknownRun(LookupError):
    """No run has this identifier, or it is no longer kept."""

    def __init__(self, run_id: object) -> None:
        super().__init__(
            _(
                "There is no run %(run)s. Dry runs are kept for a day, and only the "
                "newest of them."
            )
            % {"run": run_id}
        )


class NotYourRun(PermissionError):
    """A run that this user may not read, whether it exists or not."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Imports are for administrators only. You may read the reports of "
                "imports that you started through a data processor or a job; this one "
                "isn't yours, or it is no longer kept."
            )
        )


def readable_run(text: str, user: Any) -> ImportRun:
    """Return a run by its identifier; raise UnknownRun, or NotYourRun for a user who
    may not read it."""
    run = _found(text)
    if run is not None and may_read(run, user):
        return run
    raise UnknownRun(text) if registry.may_import(user) else NotYourRun


def identifier_of(text: str) -> UUID:
    """Return the identifier of a run in a text; raise UnknownRun for any other text."""
    try:
        return UUID(text)
    except ValueError:
        raise UnknownRun(text) from None


def may_read(run: ImportRun, user: Any) -> bool:
    """Return whether a user may read the report of a run."""
    return _is_own(run, user) or registry.may_import(user)


def run_links(user: Any, run_ids: Iterable[UUID]) -> dict[UUID, str]:
    """Return the URLs of the reports that a user may read.

    It takes one query for any number of runs, and none for users who may import.
    """
    try:
        page = reverse("import-page")
    except NoReverseMatch:  # the project doesn't include the page
        return {}
    wanted = set(run_ids)
    if wanted and not registry.may_import(user):
        wanted = _own(user, wanted)
    return {run_id: f"{page}?run={run_id}" for run_id in wanted}


def _found(text: str) -> ImportRun | None:
    with suppress(UnknownRun):
        return reading.find_run(identifier_of(text))
    return None


def _is_own(run: ImportRun, user: Any) -> bool:
    return (
        user.pk is not None and run.started_by_id == user.pk and run.started_via in _OWN
    )


def _own(user: Any, run_ids: set[UUID]) -> set[UUID]:
    own = ImportRun.objects.filter(
        started_by=user.pk, started_via__in=_OWN, pk__in=run_ids
    )
    return set(own.exclude(dry_runs.expired()).values_list("pk", flat=True))
