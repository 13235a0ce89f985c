"""The queue of runs: adding to it, the next run, and the end of a queued run.

A queued run is a row of the history with the status Queued, its package, and its place.
It leaves the queue by an update of that status, so only one process can take it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from typing import BinaryIO
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from importer import registry
from importer.models import ImportRun, QueuedRun
from importer.package import paths
from importer.package.shapes import Diagnostic, NotAllowed, Severity, error
from importer.runs import history, kept_packages, reading, record, running
from importer.runs.current_user import refreshed
from importer.runs.lock import ImportInProgress
from importer.runs.options import ImportOptions, RunOrder

logger = logging.getLogger("platform.importer")
MOST = 100
Status = ImportRun.Status
# The others check the rights of their users themselves.
_BY_ADMINISTRATORS = (ImportRun.StartedVia.API, ImportRun.StartedVia.PAGE)


class QueueFull(ImportInProgress):
    """The refusal of a run because too many wait already."""

    def __init__(self) -> None:
        super().__init__(None)
        run = reading.running_run()
        if run is not None:
            self.run_id, self.package = run.run_id, run.package or None
            self.started_by, self.started_at = run.started_by_name, run.started_at
        sentence = _(
            "%(count)d runs are waiting for their turn already. Cancel some of them, "
            "or start this one later."
        )
        self.args = (sentence % {"count": MOST},)


class CannotStart(Exception):
    """A queued run can't be carried out any more; the message says why."""


def enqueue(
    order: RunOrder, then: Callable[[QueuedRun], None] = lambda place: None
) -> None:
    """Store a run and its package at the end of the queue, and close both files.

    ``then`` is called in the same transaction. Raise QueueFull, RunExists, EngineStopped
    or DatabaseError.
    """
    run = record.new_run(order)
    run.status = Status.QUEUED
    place = QueuedRun(
        run=run,
        language=order.language or "",
        default_policies=order.options.default_policies,
        window=order.options.window,
    )

    def store() -> None:
        with transaction.atomic():
            run.save(force_insert=True)
            place.save(force_insert=True)
            kept_packages.keep(order, run)
            then(place)

    with closing(order):
        running.refuse_if_stopped()
        if QueuedRun.objects.count() >= MOST:
            raise QueueFull
        history.insert(run, store)
    logger.info("Run %s waits for its turn", run.run_id, extra=order.log_fields)


def is_empty() -> bool:
    """Return whether no run waits."""
    return not QueuedRun.objects.exists()


def positions() -> dict[UUID, int]:
    """Return the queued runs with their positions, counted from 1."""
    waiting = QueuedRun.objects.values_list("run_id", flat=True)
    return {run_id: number for number, run_id in enumerate(waiting, 1)}


def next_place() -> QueuedRun | None:
    """Return the place of the run that has waited longest, None if no run waits."""
    runs = QueuedRun.objects.select_related("run__started_by", "run__based_on")
    return runs.first()


def place_of(run_id: UUID) -> QueuedRun | None:
    """Return the place of a run, None if it doesn't wait."""
    runs = QueuedRun.objects.select_related("run__started_by", "run__based_on")
    return runs.filter(run=run_id).first()


def withdraw(run_id: UUID) -> bool:
    """Delete a run that still waits, as if it had never been ordered; return False for
    other runs."""
    waiting = ImportRun.objects.filter(pk=run_id, status=Status.QUEUED)
    removed, _by_model = waiting.delete()
    return bool(removed)


def order_at(place: QueuedRun) -> RunOrder:
    """Return the order of the run at a place; raise CannotStart if there is none."""
    run = place.run
    user = run.started_by
    if user is None:  # a deleted one; the name stays
        model = get_user_model()
        user = model(**{model.USERNAME_FIELD: run.started_by_name})
    try:
        user = refreshed(user)
    except NotAllowed as gone:
        raise CannotStart(gone.problems[0].message) from None
    if run.started_via in _BY_ADMINISTRATORS and not registry.may_import(user):
        sentence = _("the user “%(user)s” may no longer import")
        raise CannotStart(sentence % {"user": user.get_username()})
    return RunOrder(
        run_id=run.run_id,
        source=_source(run),
        options=ImportOptions(
            dry_run=run.dry_run,
            continue_on_error=run.continue_on_error,
            window=place.window,
            default_policies=place.default_policies,
        ),
        user=user,
        zone=ZoneInfo(run.time_zone),
        started_via=run.started_via,
        digest=run.digest,
        language=place.language or None,
        kind=ImportRun.Kind(run.kind),
        based_on=run.based_on,
        is_queued=True,
        table=kept_packages.opened_table(run),
    )


def _source(run: ImportRun) -> BinaryIO:
    """Return the package of a queued run as a temporary file."""
    if run.kind == ImportRun.Kind.PLAN and run.based_on is None:
        raise CannotStart(
            _("The plan of this dry run is no longer kept; start a new dry run.")
        )
    source = kept_packages.opened(run)
    if source is None:  # or somebody has just taken or cancelled the run
        raise CannotStart(_("The package of this run is no longer kept."))
    return source


def cancel(run_id: UUID) -> bool:
    """End a queued run as Interrupted; return False for other runs."""
    sentence = _("The run was cancelled before it began; nothing was written.")
    note = Diagnostic(Severity.INFO, paths.WHOLE, sentence)
    return _end(run_id, Status.INTERRUPTED, note)


def fail(place: QueuedRun, reason: str) -> None:
    """End a run that can't begin as Failed, unless it has left the queue since."""
    _end(place.run_id, Status.FAILED, error(paths.WHOLE, reason))


def _end(run_id: UUID, status: Status, note: Diagnostic) -> bool:
    return history.leave_queue(
        run_id,
        status=status,
        finished_at=timezone.now(),
        diagnostics=[msgspec.to_builtins(note)],
        has_errors=note.severity is Severity.ERROR,
    )


def in_language_of(place: QueuedRun) -> translation.override:
    """Return the context in which sentences have the language of the report."""
    return translation.override(place.language or translation.get_language())
