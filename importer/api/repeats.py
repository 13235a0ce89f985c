"""The `Idempotency-Key` header, with which a request can be repeated safely, and the
run that belongs to it."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import count
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from importer import services

HEADER: Final = "Idempotency-Key"
IDEMPOTENCY_KEY: Final = OpenApiParameter(
    HEADER,
    {"type": "string", "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    OpenApiParameter.HEADER,
    description="A text of your choice, with a new one for each operation. The "
    "same request with the same key is executed only once; for 24 "
    "hours, it gets the same response.",
)
_KEY: Final = re.compile(r"[ -~]{1,200}")
_KEPT_FOR: Final = timedelta(hours=24)


def key_of(request: Request) -> str | None:
    """Return the key of a request, None without one; raise ValidationError for a bad
    one."""
    key = request.headers.get(HEADER)
    if key is not None and not _KEY.fullmatch(key):
        text = _("Use 1 to 200 printable ASCII characters.")
        raise ValidationError({HEADER: [text]})
    return key


def run_of(request: Request) -> tuple[UUID | None, bool]:
    """Return the run identifier of a key, and whether that run exists.

    A key is forgotten after some time; older runs don't count.
    """
    key = key_of(request)
    if key is None:
        return None, False
    for number in count():
        run_id = uuid5(NAMESPACE_URL, f"import {request.user.pk} {number} {key}")
        run = services.get_run(run_id)
        if run is None:
            return run_id, False
        if run.started_at > timezone.now() - _KEPT_FOR:
            return run_id, True
    raise AssertionError("there is always another number")
