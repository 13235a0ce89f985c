"""The headers `ETag`, `If-Match` and `If-None-Match`: the version in a response, the
version that a write expects, and those that a reader knows."""

from __future__ import annotations

import re
from typing import Any, Final

from django.utils.http import parse_etags
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
IF_NONE_MATCH: Final = OpenApiParameter(
    "If-None-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the row as it was read; if the row still has this "
    "version, the response is 304, without the row.",
)
_TAG: Final = re.compile(r'(?:^|,)\s*"([1-9][0-9]{0,9})"\s*(?=,|$)')


def etag(row: Any) -> dict[str, str]:
    """Return the `ETag` of a row's version."""
    return {"ETag": f'"{row.version}"'}


def is_known(request: Request, row: Any) -> bool:
    """Return whether the caller already has the present version of a row."""
    text = request.headers.get("If-None-Match")
    if text is None:
        return False
    # A proxy that compresses responses makes tags weak; here they match as well.
    known = {tag.removeprefix("W/") for tag in parse_etags(text)}
    return not known.isdisjoint(("*", etag(row)["ETag"]))


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
