"""The notice about the licence; the apps that count report how much of its limits is
used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from licensing.licence import LicenceState
from licensing.services import current_licence
from platform_site.notices import Notice, NoticeSeverity
from platform_site.site.status.sentences import ends_soon, of_licence


def licence(user: Any) -> Iterator[Notice]:
    """Yield the state of the licence, as a warning if something must be done."""
    held = current_licence()
    severity = NoticeSeverity.PROBLEM
    if held.state in (LicenceState.FREE, LicenceState.LICENSED):
        is_ending = ends_soon(held)
        severity = NoticeSeverity.WARNING if is_ending else NoticeSeverity.QUIET
    yield Notice(severity, of_licence(held))
