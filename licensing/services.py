"""The licence of this process: read once as configured, evaluated at each call, with
changes of its state logged."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from licensing.files import FileTroubleError, read_public_key, read_text
from licensing.licence import (
    NO_LICENCE,
    Licence,
    LicenceState,
    invalid,
    read_licence,
)
from licensing.limits import LicenceLimits, describe

logger = logging.getLogger("platform.licensing")

_HERE: Final = Path(__file__).parent
_LIKE_FREE: Final = (LicenceState.EXPIRED, LicenceState.INVALID)
_lock = threading.Lock()


class _Process:
    """The licence that this process has read, and the state it has logged."""

    licence: Licence | None = None
    logged: LicenceState | None = None


def current_licence() -> Licence:
    """Return the current state of the licence; never raises for an invalid one
    (OPEN-84).

    The licence is read at the first call. The reason of an expired or invalid licence
    is logged once.
    """
    now = timezone.now()
    with _lock:
        if _Process.licence is None:
            _Process.licence = _read()
        licence = _Process.licence.at(now)
        news = licence.state in _LIKE_FREE and licence.state != _Process.logged
        if news:
            _Process.logged = licence.state
    if news:
        logger.warning(
            "Licence: %s, so the limits are those of Free (%s). %s",
            licence.state,
            describe(licence.limits),
            licence.reason,
        )
    return licence


def current_limits() -> LicenceLimits:
    """Return the current limits: those of Free without a valid licence."""
    return current_licence().limits


def licence_status() -> str:
    """Return the state in the form of the API, for `About` (HOST-132)."""
    return current_licence().state.value


def agreement_text() -> str:
    """Return the licence agreement as plain text (HOST-148)."""
    return (_HERE / "agreement.txt").read_text(encoding="utf-8")


def announce_licence() -> None:
    """Log the state at the start of the process."""
    licence = current_licence()
    if licence.terms is not None and licence.state is LicenceState.LICENSED:
        logger.info(
            "Licence: %s to %s until %s (%s).",
            licence.state,
            licence.terms.licensee,
            f"{licence.terms.expires_at:%Y-%m-%d}",
            describe(licence.limits),
        )
    elif licence.state is LicenceState.FREE:
        logger.info("Licence: %s (%s).", licence.state, describe(licence.limits))


def reload() -> None:
    """Forget the licence, so that the next call reads it again; for tests."""
    with _lock:
        _Process.licence = _Process.logged = None


def _read() -> Licence:
    """Read the configured licence; a file takes precedence over a text, even if it is
    invalid (HOST-055)."""
    configured: dict[str, Any] = getattr(settings, "LICENSING", {})
    file, text = configured.get("FILE"), configured.get("TOKEN", "")
    if not file and configured.get("TROUBLE"):
        # The setting names a file that couldn't be read.
        return invalid(configured["TROUBLE"])
    if not file and not text:
        return NO_LICENCE
    try:
        text = read_text(Path(file)) if file else text
        # Not a setting, because whoever can set it could sign licences.
        key = read_public_key(
            Path(configured.get("PUBLIC_KEY_FILE") or _HERE / "licence-public-key.pem")
        )
    except FileTroubleError as trouble:
        return invalid(str(trouble))
    return read_licence(text, key, timezone.now())
