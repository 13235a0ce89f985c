"""The endpoints: paths relative to the base of a project's API, `/api/v1/` in Platform.

A project includes ``importer.api.urlpatterns`` in its API. The other names serve the
project's own endpoints that should refuse requests in the same way.
"""

from __future__ import annotations

try:
    from importer.api.base import UploadTooLarge, as_http
    from importer.api.declared import DeclaredOnly, UnknownParameter, valid
    from importer.api.exports import package_response
    from importer.api.repeats import IDEMPOTENCY_KEY, key_of
    from importer.api.responses import ImportRunSerializer
    from importer.api.uploads import takes_uploads
    from importer.api.urls import urlpatterns
    from importer.api.versions import (
        IF_MATCH,
        IF_NONE_MATCH,
        etag,
        expected_version,
        is_known,
    )
except ModuleNotFoundError as missing:
    if missing.name not in ("drf_spectacular", "openpyxl", "charset_normalizer"):
        raise
    raise ImportError(
        f"importer.api needs {missing.name}; install it with: "
        'pip install "django-import-packages[api]"'
    ) from missing

__all__ = [
    "IDEMPOTENCY_KEY",
    "IF_MATCH",
    "IF_NONE_MATCH",
    "DeclaredOnly",
    "ImportRunSerializer",
    "UnknownParameter",
    "UploadTooLarge",
    "as_http",
    "etag",
    "expected_version",
    "is_known",
    "key_of",
    "package_response",
    "takes_uploads",
    "urlpatterns",
    "valid",
]
