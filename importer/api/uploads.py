"""The handling of uploads, limited to the size of a package.

The declared length is checked before anything is read, and the file is counted while it
is written to disk, so memory use doesn't depend on its size (IMP-335, OPEN-55).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.core.files.uploadhandler import (
    FileUploadHandler,
    TemporaryFileUploadHandler,
)
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from importer import conf, registry
from importer.api.base import LengthRequired, UploadTooLarge

# The media type of a package that is the body itself.
PACKAGE: Final = "application/vnd.platform.package+json"
# The allowance for the form's other fields and boundaries, and the limit of a body
# without a file.
BESIDE_FILES: Final = 1024 * 1024
_DIGITS = 18
_View = TypeVar("_View", bound=Callable[..., Any])


def takes_uploads(view: _View, largest: Callable[..., int]) -> _View:
    """Mark a view as one that takes uploads, for a server that checks before reading.

    `largest` gets the user and the arguments of the path. It returns the maximum body
    size in bytes that this user may send there, 0 for none.
    """
    view.largest_upload = largest  # type: ignore[attr-defined]
    return view


def largest_body(user: Any, **path: str) -> int:
    """Return the maximum size of a body with a package or table that `user` may
    send."""
    return BESIDE_FILES + _largest() if registry.may_import(user) else 0


class CountingHandler(FileUploadHandler):
    """An upload handler that stops as soon as a file is larger than a package may
    be."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Reset the count."""
        super().new_file(*args, **kwargs)
        self._left = _largest()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass the chunk on; raise UploadTooLarge beyond the limit."""
        self._left -= len(raw_data)
        if self._left < 0:
            raise _too_large()
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handler."""


def take_in(request: HttpRequest) -> None:
    """Write the files of a request to disk, counting their bytes."""
    request.upload_handlers = [
        CountingHandler(request),
        TemporaryFileUploadHandler(request),
    ]


def let_go(request: HttpRequest) -> None:
    """Remove the files of a refused or broken upload.

    Django leaves that to the garbage collector, and nothing removes them if the server
    dies.
    """
    for handler in request.upload_handlers:
        handler.upload_interrupted()


def refuse_by_length(request: HttpRequest) -> None:
    """Raise TooLarge or LengthRequired before the body is read."""
    declared = request.META.get("CONTENT_LENGTH") or ""
    if not declared and "chunked" in request.headers.get("Transfer-Encoding", ""):
        raise LengthRequired
    has_file = request.content_type in ("multipart/form-data", PACKAGE)
    most = BESIDE_FILES + (_largest() if has_file else 0)
    if declared.isdecimal() and int(declared[:_DIGITS]) > most:
        raise _too_large() if has_file else json_too_large()


def json_too_large() -> UploadTooLarge:
    """Return the refusal of a body without a file."""
    return UploadTooLarge(
        _(
            "The body is too large: it has more than %(most)s bytes. Send a package or a "
            "table as a file (multipart/form-data)."
        )
        % {"most": number_format(BESIDE_FILES, force_grouping=True)},
        limit=BESIDE_FILES,
    )


def _largest() -> int:
    return int(conf.setting("MAX_PACKAGE_SIZE_BYTES"))


def _too_large() -> UploadTooLarge:
    return UploadTooLarge(
        _(
            "The file is larger than %(most)s bytes, the most that may be uploaded "
            "(setting Import:MaxPackageSizeBytes). Split it into several files."
        )
        % {"most": number_format(_largest(), force_grouping=True)},
        limit=_largest(),
    )
