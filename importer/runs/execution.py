"""Carry one run from its lock to its report, in the thread that calls.

Whoever runs a package, now or in the background, does it through ``execute``.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NoReturn

from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from importer import registry
from importer.courtesy import give_way
from importer.log_context import logged_with
from importer.models import ImportRun
from importer.package import paths
from importer.package.shapes import Header, NotAllowed, PackageError, Problem, error
from importer.package.tokens import Moment
from importer.pipeline.report import Chunk, Gathering, Report
from importer.pipeline.run import Pipeline
from importer.pipeline.settings import Cancelled, Settings
from importer.runs import dry_runs, history, running
from importer.runs.durability import relaxed
from importer.runs.failures import is_out_of_space, reason_of, unexpected
from importer.runs.lock import import_lock
from importer.runs.options import Cancellation, Progress, RunOrder
from importer.runs.record import Record

logger = logging.getLogger("platform.importer")
Status = ImportRun.Status
_IN_MEMORY = 1 << 23


def execute(
    order: RunOrder,
    *,
    cancellation: Cancellation | None = None,
    progress: Progress = lambda stage, done, total: None,
    begun: Callable[[], None] = lambda: None,
) -> Report:
    """Run a package to its end and return the report.

    ``begun`` is called when the lock is held and the record of the run is there: what
    can keep a run from beginning has been raised by then.
    """
    what = (
        gettext_noop("a dry run")
        if order.options.dry_run
        else gettext_noop("an import")
    )
    running.refuse_if_stopped()
    with (
        logged_with(run_id=str(order.run_id), user_name=order.user.get_username),
        translation.override(order.language),
        import_lock(order.user.get_username(), what),
        _seekable(order.source) as source,
    ):
        _close_others(order)
        record = _record(order)
        return _Run(order, record, cancellation, progress).run(source, begun)


def _close_others(order: RunOrder) -> None:
    """Mark what dead processes left behind; a dry run does without where it cannot."""
    try:
        history.mark_interrupted()
    except DatabaseError:
        if not order.options.dry_run:
            raise
        logger.exception("Runs of dead processes cannot be marked as interrupted")


def _record(order: RunOrder) -> Record:
    if order.options.dry_run:
        if order.options.run_id:
            history.refuse_known(order.run_id)
        return dry_runs.DryRecord(order)
    return history.StoredRecord(order)


@contextmanager
def _seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Offer a stream that can be read twice: the very one, or a temporary copy."""
    if stream.seekable():
        yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as whole:
        shutil.copyfileobj(stream, whole)
        yield whole  # type: ignore[misc]


class _Run:
    """Put the pipeline between a record and a report."""

    def __init__(
        self,
        order: RunOrder,
        record: Record,
        cancellation: Cancellation | None,
        progress: Progress,
    ) -> None:
        self._order = order
        self._record = record
        self._cancellation = cancellation
        self._progress = progress
        self._moment = Moment(timezone.now(), order.zone)
        self._gathering = Gathering(self._keep)
        self._ended = False

    def run(self, source: BinaryIO, begun: Callable[[], None]) -> Report:
        """Run, and store the end whatever it is."""
        order, options = self._order, self._order.options
        caller = self._cancellation
        # The run leaves the list of those that can be stopped before its end shows.
        with running.going_on(order.run_id, self._gathering) as self._going:
            stop = self._going.stop
            pipeline = Pipeline(
                source,
                registry.catalogue(),
                registry.targets(),
                Settings(
                    options.dry_run,
                    options.continue_on_error,
                    options.default_policies,
                    options.window,
                    self._report_progress,
                    lambda: stop.is_set() or (caller is not None and caller.is_set()),
                    give_way=self._between_objects,
                    checks=registry.checks(),
                ),
                self._gathering,
            )
            try:
                begun()
                # A bare date of a package means midnight in the zone of the run.
                with relaxed(), timezone.override(order.zone):
                    status = self._status(pipeline)
                pipeline.note_not_reached()
                pipeline.locate_problems()
            except BaseException:
                self._gathering.say(error(paths.WHOLE, unexpected()))
                self._finish(Status.FAILED, pipeline)
                raise
        return self._finish(status, pipeline)

    def _finish(self, status: str, pipeline: Pipeline) -> Report:
        """Keep the report; on a durable connection, so that all before it is too."""
        # What is gathered from here on is stored with the end, or not at all.
        self._ended = True
        if connection.errors_occurred:
            # Of what is wrong with the connection the next one knows nothing.
            connection.close_if_unusable_or_obsolete()
        order = self._order
        report = self._gathering.report(
            order.run_id, status, dry_run=order.options.dry_run
        )
        self._record.finish(report, len(pipeline.memory))
        return report

    def _keep(self, chunk: Chunk) -> None:
        if not self._ended:
            self._record.keep(chunk)

    def _status(self, pipeline: Pipeline) -> str:
        try:
            header = pipeline.read(self._record.name)
            objected = pipeline.objected(header, self._moment)
            if not objected and pipeline.broken():
                return Status.FAILED
            with registry.surrounding(self._context(header)):
                carry_out = pipeline.judge if objected else pipeline.apply
                user = self._order.user
                done = carry_out(header, self._moment, user, _refreshed)
        except PackageError as refusal:
            for diagnostic in refusal.diagnostics:
                self._gathering.say(diagnostic)
            return Status.FAILED
        except Cancelled:
            return Status.INTERRUPTED
        except Exception as failure:  # a run always ends with a report
            if is_out_of_space(failure):  # nobody's bug, and told in a sentence
                logger.error("Run %s ended: the disk is full", self._order.run_id)
            else:
                logger.exception("Run %s ended unexpectedly", self._order.run_id)
            self._gathering.say(error(paths.WHOLE, reason_of(failure)))
            return Status.FAILED
        return Status.COMPLETED if done else Status.FAILED

    def _context(self, header: Header) -> registry.RunContext:
        return registry.RunContext(
            run_id=self._order.run_id,
            user=self._order.user,
            origin=header.origin,
            package=header.package,
            dry_run=self._order.options.dry_run,
        )

    def _report_progress(self, stage: str, done: int, total: int | None) -> None:
        going = self._going
        if total is None:
            going.checked(done)
        else:
            going.begin(total)
        self._record.progress(going)
        self._progress(stage, done, total)

    def _between_objects(self) -> None:
        """Tell how far the run is, and give way; outside of every transaction."""
        going = self._going
        if going.tick():
            self._record.progress(going)
            if going.total is not None:
                stage = "planning" if self._order.options.dry_run else "importing"
                self._progress(stage, going.done, going.total)
        give_way()


def _refreshed(user: Any) -> Any:
    """Return the user as the database has it now, with rights not yet looked up.

    NotAllowed where the user was deleted since the run began, or is not active. A proxy
    of the model may have rights of its own, whatever the account may do.
    """
    plain = get_user_model()
    model = user.__class__ if isinstance(user, plain) else plain
    fresh = model._default_manager.filter(pk=user.pk).first()
    if fresh is None:
        _refuse(_("the user “%(user)s” was deleted"), user)
    if model is plain and not fresh.is_active:
        _refuse(_("the user “%(user)s” is deactivated"), user)
    return fresh


def _refuse(sentence: str, user: Any) -> NoReturn:
    name = user.get_username()
    problem = Problem("", sentence % {"user": name}, "user-gone", name)
    raise NotAllowed([problem])
