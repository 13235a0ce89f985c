"""The notice about the licence; the apps that count report how much of its limits is
used."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from licensing.licence import LicenceState
from licensing.services import current_licence
from platform_site.notices import Notice, NoticeSeverity

_SOON: Final = timedelta(days=30)


def licence(user: Any) -> Iterator[Notice]:
    """Yield the state of the licence, as a warning if something must be done."""
    held = current_licence()
    if held.state is LicenceState.FREE:
        yield Notice(
            NoticeSeverity.QUIET, _("This installation runs without a licence.")
        )
    elif held.state is not LicenceState.LICENSED or held.terms is None:
        text = _(
            "The licence can't be used, so the limits for unlicensed "
            "installations apply. %(reason)s"
        )
        yield Notice(NoticeSeverity.PROBLEM, text % {"reason": held.reason})
    else:
        words = {
            "licensee": held.terms.licensee,
            "end": date_format(timezone.localtime(held.terms.expires_at)),
        }
        text = _("Licensed to %(licensee)s until %(end)s.") % words
        soon = held.terms.expires_at - timezone.now() < _SOON
        yield Notice(NoticeSeverity.WARNING if soon else NoticeSeverity.QUIET, text)
