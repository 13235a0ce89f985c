"""The headers `ETag` and `If-Match`: the version in a response, and the version that a
write expects."""

from __future__ import annotations

import re
from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from importer.targets import Stale

IF_MATCH: Final = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the row as it was read; if the row has another "
    "version now, the response is 412.",
)
_TAG: Final = re.compile(r'(?:^|,)\s*"([1-9][0-9]{0,9})"\s*(?=,|$)')


def etag(row: Any) -> dict[str, str]:
    """Return the `ETag` of a row's version."""
    return {"ETag": f'"{row.version}"'}


def expected_version(request: Request, row: Any) -> int | None:
    """Return the expected version, None for any; raise Stale for another one.

    Weak or malformed tags match nothing (RFC 9110).
    """
    text = request.headers.get("If-Match")
    if text is None or text.strip() == "*":
        return None
    if row.version not in {int(found) for found in _TAG.findall(text)}:
        stale = Stale()
        stale.version = row.version
        raise stale
    return int(row.version)
