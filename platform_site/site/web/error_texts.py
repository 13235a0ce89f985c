"""What error pages say: what happened, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class ErrorText:
    """The heading of an error page, and the sentences below it."""

    heading: Promise
    advice: Promise


FORM_NOT_ACCEPTED: Final = ErrorText(
    _("The form was not accepted"),
    _(
        "The page was open too long, or your browser blocks cookies for this site. Go "
        "back, load the page again and repeat the entry."
    ),
)
MAINTENANCE: Final = ErrorText(_("Maintenance"), _("The site is being maintained."))
ERROR_TEXTS: Final = {
    HTTPStatus.BAD_REQUEST: ErrorText(
        _("The request couldn't be read"),
        _(
            "The address, or what was sent with it, is malformed. Go back, load the "
            "page again and repeat the entry."
        ),
    ),
    HTTPStatus.FORBIDDEN: ErrorText(
        _("You don't have access"),
        _(
            "Your account doesn't have permission for this page or action. Ask an "
            "administrator for access, or sign in with another account."
        ),
    ),
    HTTPStatus.NOT_FOUND: ErrorText(
        _("Page not found"),
        _("The address may be misspelled, or what was here has been deleted."),
    ),
    HTTPStatus.INTERNAL_SERVER_ERROR: ErrorText(
        _("Something went wrong"),
        _(
            "Your last entry was not saved. Try again. If it happens again, tell an "
            "administrator, who can find the reason in the server log."
        ),
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: ErrorText(
        _("Temporarily unavailable"),
        _(
            "The database is busy or doesn't answer. Your last entry was probably not "
            "saved: check whether it is there, and try again in a moment. If it happens "
            "again, tell an administrator."
        ),
    ),
    HTTPStatus.INSUFFICIENT_STORAGE: ErrorText(
        _("The server's disk is full"),
        _(
            "Nothing can be saved until there is free disk space. Ask an administrator "
            "to free some, then repeat your last entry."
        ),
    ),
}
