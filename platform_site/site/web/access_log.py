"""The access log: one line per response. Pure, so that the front can log its responses
without Django."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Final

from importer import cut

# Disabled by its level with the setting Logging:Access.
logger = logging.getLogger("platform.access")
NOBODY: Final = "-"
Observer = Callable[[str, str, int, float], None]
_observers: list[Observer] = []
_LONGEST_PATH: Final = 500
_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_.$\[\]-]{0,39}")


def observe_responses(observer: Observer) -> Callable[[], None]:
    """Call ``observer`` with method, route, status and seconds of each response, whether
    or not the access log is written; return what ends this."""
    _observers.append(observer)
    return lambda: _observers.remove(observer)


def log_access(  # noqa: PLR0913 - one for each column
    *,
    address: str,
    method: str,
    target: str,
    status: int,
    sent: int,
    seconds: float,
    request_id: str,
    user_name: str = NOBODY,
    route: str = "",
) -> None:
    """Log a response; ``target`` is path and query as requested, ``route`` the pattern
    of the path.

    ``sent`` is the size of the body, ``seconds`` the time from the beginning of the
    request to the last byte, as far as the logging layer knows.
    """
    for observer in _observers:
        observer(method, route, status, seconds)
    if not logger.isEnabledFor(logging.INFO):
        return
    fields = {
        "address": address or NOBODY,
        "method": cut(method, 20),
        "path": shown_target(target),
        "status": status,
        "bytes": sent,
        "milliseconds": round(seconds * 1000),
        "user": user_name or NOBODY,
        "requestId": request_id,
    }
    logger.info(
        "%(address)s %(user)s %(method)s %(path)s %(status)d %(bytes)d bytes "
        "%(milliseconds)d ms",
        fields,
        extra={"fields": fields},
    )


def shown_target(target: str) -> str:
    """Return a path for the log: only the names of query parameters.

    People search for names and paste keys into wrong fields; a list of secret
    parameters would never be complete.
    """
    path, asked, query = target.partition("?")
    names = dict.fromkeys(_name(part) for part in query.split("&"))
    return cut(f"{path}?{'&'.join(names)}" if asked else path, _LONGEST_PATH)


def _name(parameter: str) -> str:
    name, given, _value = parameter.partition("=")
    return f"{name}=…" if given and _NAME.fullmatch(name) else "…"
