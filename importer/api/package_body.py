"""A package as the body of a request, plain or gzipped, instead of a file in a form.

It goes through the same upload handlers as such a file: onto the disk, and counted on its
way, so memory use depends neither on its size nor on what it unpacks to.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from django.core.files.uploadhandler import StopFutureHandlers
from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from rest_framework.exceptions import (
    ParseError,
    UnsupportedMediaType,
    ValidationError,
)
from rest_framework.parsers import BaseParser

from importer.api.uploads import BESIDE_FILES, PACKAGE, json_too_large
from importer.package.shapes import FORMAT

_NAME: Final = "package.json"
_PIECE: Final = 64 * 1024
# zlib reads the header and the checksum of gzip with this.
_GZIP: Final = zlib.MAX_WBITS | 16


class PackageBody(MultiValueDict[str, Any]):
    """The options of a query, and the package of the body as their `file`."""


class PackageParser(BaseParser):
    """The parser of a body that is a package."""

    media_type = PACKAGE

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> PackageBody:
        """Return the package with the options of the query.

        Raise UnsupportedMediaType for another encoding, ParseError for damaged gzip, or UploadTooLarge.
        """
        request = _request(parser_context)
        return _with_options(request, _pieces(request, stream))


class JsonOrPackageParser(BaseParser):
    """The parser of a JSON body, which may be a package too.

    A package of this type isn't larger than any JSON body may be.
    """

    media_type = "application/json"

    def __init__(self, usual: BaseParser) -> None:
        """Take the project's own parser of JSON."""
        self._usual = usual

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value, or of a package the same as PackageParser."""
        request = _request(parser_context)
        content = _joined(_pieces(request, stream))
        # Without the request, whose encoding is undone.
        value = self._usual.parse(io.BytesIO(content), media_type)
        if isinstance(value, dict) and value.get("format") == FORMAT:
            return _with_options(request, [content])
        return value


def refuse_query(query: QueryDict) -> None:
    """Raise ValidationError for options in the query beside a body that has them."""
    text = _(
        "Give the options in the body; in the query they belong to a package that is the "
        "body itself (%(type)s)."
    ) % {"type": PACKAGE}
    if query:
        raise ValidationError({name: [text] for name in query})


def _request(parser_context: Mapping[str, Any] | None) -> HttpRequest:
    request: HttpRequest = (parser_context or {})["request"]._request
    return request


def _joined(pieces: Iterable[bytes]) -> bytes:
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > BESIDE_FILES:
            raise json_too_large()
    return bytes(content)


def _with_options(request: HttpRequest, pieces: Iterable[bytes]) -> PackageBody:
    found = PackageBody(dict(request.GET.lists()))
    found["file"] = _stored(request, pieces)
    return found


def _stored(request: HttpRequest, pieces: Iterable[bytes]) -> Any:
    """Write a body to disk by the handlers of the request, and return its file."""
    counting, storing = request.upload_handlers
    counting.new_file("file", _NAME, PACKAGE, None)
    with suppress(StopFutureHandlers):
        storing.new_file("file", _NAME, PACKAGE, None)
    size = 0
    for piece in pieces:
        counting.receive_data_chunk(piece, size)
        storing.receive_data_chunk(piece, size)
        size += len(piece)
    file: Any = storing.file_complete(size)
    # Django closes these files with the request, which removes them from the disk.
    request.FILES["file"] = file
    return file


def _pieces(request: HttpRequest, stream: Any) -> Iterator[bytes]:
    """Yield a body piece by piece, unpacked."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return _read(stream)
    if encoding == "gzip":
        return _unpacked(_read(stream))
    text = _("Send the body as it is or packed by gzip (Content-Encoding: gzip).")
    raise UnsupportedMediaType(encoding, text)


def _read(stream: Any) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        yield piece


def _unpacked(packed: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what gzip has packed; no piece is larger than the limit of one.

    Several members after each other are one content, as for gzip itself.
    """
    unpacker = zlib.decompressobj(_GZIP)
    is_empty = True
    try:
        for piece in packed:
            rest = piece
            while rest:
                if unpacker.eof:
                    unpacker = zlib.decompressobj(_GZIP)
                is_empty = False
                yield unpacker.decompress(rest, _PIECE)
                rest = unpacker.unconsumed_tail or unpacker.unused_data
        # What the limit has held back.
        while more := unpacker.decompress(unpacker.unconsumed_tail, _PIECE):
            yield more
    except zlib.error:
        raise _damaged() from None
    if not is_empty and not unpacker.eof:
        raise _damaged()


def _damaged() -> ParseError:
    return ParseError(_("The body isn't whole gzip data; pack and send it again."))
