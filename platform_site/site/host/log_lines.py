"""The log formats: one line per entry, whatever the logged texts contain, as text or as
JSON."""

from __future__ import annotations

import json
import logging
import logging.config
import re
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final

from importer import printable
from platform_site.log_context import log_context

Trouble = (
    tuple[type[BaseException], BaseException, TracebackType | None]
    | tuple[None, None, None]
)

logger = logging.getLogger("platform.host")
# Our API keys and JWTs, wherever they were pasted.
_SECRETS: Final = re.compile(
    r"(?P<kept>\bpk_[0-9a-f]{8}_|\beyJ)[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*"
)


class LineFormatter(logging.Formatter):
    """A formatter that escapes control and direction characters.

    A name with a line break would forge an entry, and colour codes would change the
    terminal of whoever reads the log.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the entry, with keys and tokens masked."""
        return _masked(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the entry as one line, with its request and run."""
        record.work = _work_in_text(record)
        return printable(super().formatMessage(record))

    def formatException(self, ei: Trouble) -> str:  # noqa: N802 - logging's name
        """Return a traceback with indented lines, so that none looks like an entry."""
        lines = super().formatException(ei).split("\n")
        return "\n".join(f"  {printable(line)}" for line in lines)


class JsonFormatter(logging.Formatter):
    """A formatter that writes each entry as one line of JSON, with its traceback as
    text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the entry without unknown values."""
        context = log_context()
        at = datetime.fromtimestamp(record.created, UTC)
        entry: dict[str, Any] = {
            "time": at.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "requestId": context.request_id,
            "runId": _run_id(record),
            "jobExecution": context.job,
            "user": context.user_name() or str(getattr(record, "user_name", "")),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        known = {name: value for name, value in entry.items() if value != ""}
        # Not ASCII, because people search for names.
        return _masked(printable(json.dumps(known, ensure_ascii=False, default=str)))


class RefusalsInOneLine(logging.Filter):
    """A filter that removes tracebacks from Django's entries about refused requests.

    Clients could otherwise fill the log with tracebacks of Django's code. Failures with
    status 500 and above keep theirs.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True, after removing the traceback."""
        status = getattr(record, "status_code", HTTPStatus.INTERNAL_SERVER_ERROR)
        if record.name.startswith("django.") and status < 500:
            record.exc_info = record.exc_text = None
            if record.levelno > logging.WARNING:
                record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


def configure_json(description: Mapping[str, Any]) -> None:
    """Configure the log as JSON, including warnings that Python prints over several
    lines."""
    logging.config.dictConfig(dict(description))
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_end
    threading.excepthook = lambda ended: _log_end(
        ended.exc_type, ended.exc_value or ended.exc_type(), ended.exc_traceback
    )


def _log_end(
    kind: type[BaseException],
    failure: BaseException,
    traceback: TracebackType | None,
) -> None:
    if issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    name = threading.current_thread().name
    logger.critical("%s ended", name, exc_info=(kind, failure, traceback))


def _work_in_text(record: logging.LogRecord) -> str:
    context = log_context()
    known = {
        "request": context.request_id,
        "run": _run_id(record),
        "job": context.job,
    }
    shown = " ".join(f"{name}={value}" for name, value in known.items() if value)
    return f" [{shown}]" if shown else ""


def _run_id(record: logging.LogRecord) -> str:
    """Return the run of a record: that of the record, if no context is set yet."""
    return log_context().run_id or str(getattr(record, "run_id", ""))


def _masked(line: str) -> str:
    return _SECRETS.sub(r"\g<kept>…", line)
