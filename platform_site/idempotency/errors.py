"""The refusals of requests with an `Idempotency-Key`."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import APIException


class RequestInProgress(APIException):
    """The first request with this key isn't finished."""

    status_code = 409
    default_code = "request_in_progress"
    default_detail = _(
        "The first request with this Idempotency-Key is still being answered, or the "
        "server failed while answering it. Try again later; if this doesn't change, "
        "check the outcome of the first request before you use another key."
    )


class KeyMismatch(APIException):
    """The key belongs to another request."""

    status_code = 422
    default_code = "idempotency_mismatch"
    default_detail = _(
        "This Idempotency-Key was used for another request within the last 24 hours. "
        "Use a new key for each request."
    )
