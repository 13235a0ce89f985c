"""Which version of a row an answer shows, and which one a write was meant for: the
headers `ETag` and `If-Match`."""

from __future__ import annotations

import re
from typing import Any, Final

from rest_framework.request import Request

from platform_site.records.errors import Stale

_TAG: Final = re.compile(r'(?:^|,)\s*"([1-9][0-9]{0,9})"\s*(?=,|$)')


def etag(row: Any) -> dict[str, str]:
    """Return the header that says which version of a row this is."""
    return {"ETag": f'"{row.version}"'}


def expected_version(request: Request, row: Any) -> int | None:
    """Return the version a write insists on, None if on none; raise Stale if not this
    one.

    Weak tags and what is no tag at all match nothing (RFC 9110).
    """
    text = request.headers.get("If-Match")
    if text is None or text.strip() == "*":
        return None
    if row.version not in {int(found) for found in _TAG.findall(text)}:
        stale = Stale()
        stale.version = row.version
        raise stale
    return int(row.version)
