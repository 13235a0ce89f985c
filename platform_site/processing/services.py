"""The execution of data processors: rights, input, user, duration and errors. Pages,
API, jobs and package steps use it."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from importer import LimitReached, Problem, Refusal, did_you_mean, named_zone
from importer.models import ImportRun
from importer.services import (
    ImportInProgress,
    LockUnusable,
    UnknownTimeZone,
)
from importer.targets import RowLookup, flatten
from platform_site.accounts.time_zones import zone_of
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.database.failures import failure_of
from platform_site.files.fields import FileField
from platform_site.files.services import FileTooLarge, Upload, store_file
from platform_site.processing.errors import (
    ExecutionFailed,
    InvalidStateError,
    ProcessorBusy,
    UnknownProcessor,
)
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import (
    find_processor,
    processors,
    registered_processors,
)
from platform_site.processing.rights import authorise, executable
from platform_site.processing.started_via import starting_runs
from platform_site.records.row_lookup import DatabaseLookup

logger = logging.getLogger("platform.processing")


@dataclass(frozen=True, slots=True)
class Execution:
    """The outcome of an execution: `result` in wire form, and the duration."""

    processor: type[DataProcessor]
    result: dict[str, Any]
    seconds: float
    finished: datetime


@dataclass(frozen=True, slots=True)
class About:
    """The description of a processor in lists."""

    name: str
    title: str
    description: str


def about(processor: type[DataProcessor]) -> About:
    """Return name, title and description in the reader's language."""
    name = processor.__name__
    return About(name, str(processor.title) or name, str(processor.description))


def title_of(name: str) -> str:
    """Return the title of a processor: its name if no class is registered."""
    known = registered_processors().get(name)
    return name if known is None else about(known).title


def allowed_processors(user: Any) -> list[type[DataProcessor]]:
    """Return the processors that `user` may execute, by name."""
    return sorted(executable(user), key=lambda each: each.__name__)


def get_processor(name: str) -> type[DataProcessor]:
    """Return a processor by its name; raise UnknownProcessor if there is none."""
    found = find_processor(name)
    if found is None:
        message = _("There is no data processor “%(name)s”.") % {"name": name}
        hint = did_you_mean(name, processors(), sentence=True)
        raise UnknownProcessor(message + hint)
    return found


def new_input(processor: type[DataProcessor]) -> dict[str, Any]:
    """Return the default input of a processor in wire form."""
    return dict(processor.Input(instance=processor().new()).data)


def execute(
    name: str,
    data: Mapping[str, Any] | None = None,
    *,
    user: Any,
    origin: ChangeOrigin = ChangeOrigin.USER,
    files: Mapping[str, Upload] | None = None,
    time_zone: str = "",
) -> Execution:
    """Execute a processor as `user` with wire values, and return its result.

    Missing values get their defaults. `files` are stored once everything else is valid,
    and their GUIDs passed under the same names (IMP-167). Raise a Refusal for any
    error: NotAllowed, Busy, InvalidStateError, ExecutionFailed, or problems by input
    name.
    """
    authorise(user, get_processor(name))
    with _zone(time_zone, user), acting_as(user, origin):
        ready = prepare(name, data or {}, user=user)
        if files:
            ready.values.update(_stored(ready.processor, files, user))
        return run(ready, user=user)


def check(
    name: str, data: Mapping[str, Any], *, user: Any, time_zone: str = ""
) -> None:
    """Check an execution as far as possible without executing; raise a Refusal like
    `execute`."""
    with _zone(time_zone, user):
        require_files(prepare(name, data, user=user))


@dataclass(frozen=True, slots=True)
class Ready:
    """A processor with valid input, before its execution."""

    processor: DataProcessor
    values: dict[str, Any]

    @property
    def input(self) -> dict[str, Any]:
        """Return the values in wire form."""
        return dict(self.processor.Input(instance=self.values).data)


def prepare(
    name: str, data: Mapping[str, Any], *, user: Any, lookup: RowLookup | None = None
) -> Ready:
    """Check name, right and input without executing; raise Refusal for any problem.

    References are looked up by `lookup`, by default in the database.
    """
    cls = get_processor(name)
    authorise(user, cls)
    context = {"user": user, "lookup": lookup or DatabaseLookup()}
    declared = cls.Input(data={**new_input(cls), **data}, context=context)
    processor = cls()
    try:
        declared.is_valid(raise_exception=True)
        values: dict[str, Any] = dict(declared.validated_data)
        processor.validate(values)
    except ValidationError as error:
        raise Refusal(flatten(error.detail)) from None
    return Ready(processor, values)


def require_files(ready: Ready) -> None:
    """Refuse the execution if needed files are missing after the uploads."""
    for field in ready.processor.Input().fields.values():
        needed = isinstance(field, FileField) and field.needed
        if needed and ready.values.get(str(field.source)) is None:
            raise InvalidStateError(_("No file chosen."))


def dry_run(ready: Ready, *, user: Any) -> str | None:
    """Return what the execution of a prepared processor would do, None if only the
    execution can tell; raise a Refusal if it would fail."""
    with _refusing(type(ready.processor).__name__):
        return ready.processor.dry_run(ready.values, user=user)


def run(ready: Ready, *, user: Any) -> Execution:
    """Execute a prepared processor in the current zone and context."""
    require_files(ready)
    cls = type(ready.processor)
    started = time.monotonic()
    result = _run(ready.processor, ready.values, user)
    seconds = time.monotonic() - started
    logger.info("%s executed %s in %.1f s.", user, cls.__name__, seconds)
    return Execution(cls, result, seconds, timezone.now())


def _stored(
    processor: DataProcessor, files: Mapping[str, Upload], user: Any
) -> dict[str, Any]:
    fields = processor.Input().fields
    stored = {}
    for name, upload in files.items():
        try:
            stored[str(fields[name].source)] = store_file(upload=upload, user=user)
        except (FileTooLarge, LimitReached) as refusal:
            raise Refusal([Problem(name, str(refusal))]) from None
    return stored


def _run(processor: DataProcessor, values: dict[str, Any], user: Any) -> dict[str, Any]:
    name = type(processor).__name__
    with _refusing(name):
        with starting_runs(f"{ImportRun.StartedVia.PROCESSOR}:{name}"):
            given = processor.execute(values, user=user)
        return dict(processor.Result(instance=given).data)


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Raise a Refusal for any error of a processor."""
    try:
        yield
    except Refusal:
        raise
    except ImportInProgress as busy:
        raise ProcessorBusy(busy) from None
    except (LockUnusable, UnknownTimeZone) as trouble:
        raise ExecutionFailed(str(trouble)) from None
    except ValidationError as error:
        raise Refusal(flatten(error.detail)) from None
    except Exception as failure:
        # Any bug in a processor: pages, endpoints and jobs must continue.
        means = failure_of(failure)
        if means is None:
            logger.exception("%s failed unexpectedly", name)
            message = _(
                "“%(processor)s” failed unexpectedly; see the server log for "
                "the reason."
            ) % {"processor": title_of(name)}
        else:
            logger.error("%s failed: %s", name, failure)
            message = means.sentence
        raise ExecutionFailed(message) from failure


@contextmanager
def _zone(name: str, user: Any) -> Iterator[None]:
    """Activate the requested time zone, else the caller's, the user's or the
    installation's (OPEN-28)."""
    active = timezone.get_current_timezone()
    if not name and active != timezone.get_default_timezone():
        yield
        return
    try:
        zone = named_zone(name) if name else zone_of(user)
    except UnknownTimeZone as unknown:
        raise Refusal([Problem("timeZone", str(unknown))]) from None
    with timezone.override(zone):
        yield
