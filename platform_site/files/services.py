"""The services that store and open uploaded files, for pages, API and processors."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Iterable
from typing import Any, BinaryIO, Final, Protocol

from django.conf import settings
from django.db import transaction
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from importer import Problem, Refusal, file_name
from importer.services import is_out_of_space
from platform_site.accounts.services import is_administrator
from platform_site.files import blobs
from platform_site.files.cleaning import discard
from platform_site.files.models import StoredFile
from platform_site.files.quota import bytes_allowed, make_room, refuse_beyond_quota
from platform_site.files.rights import authorise_upload, may_upload
from platform_site.files.stores import TooManyBytes
from platform_site.settings.s3_place import StorageUnavailable

logger = logging.getLogger("platform.files")

ANY_TYPE: Final = "application/octet-stream"
# The allowance for boundaries and other form fields.
ROUND_THE_FILE: Final = 1 << 20
_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,39}")
LONGEST_NAME: Final = 255


class Upload(Protocol):
    """The interface of an uploaded file, as in Django."""

    @property
    def name(self) -> str | None:
        """Return the file name sent by the client."""

    @property
    def content_type(self) -> str | None:
        """Return the content type sent by the client."""

    def chunks(self) -> Iterable[bytes]:
        """Yield the bytes in chunks."""


class FileTooLarge(Refusal):
    """The refusal of a file that is larger than allowed."""

    def __init__(self, limit: int) -> None:
        message = _("The file is too large; at most %(limit)s bytes are accepted.")
        super().__init__(
            [
                Problem(
                    "file",
                    message % {"limit": number_format(limit, force_grouping=True)},
                )
            ]
        )


class FileUnusable(Refusal):
    """The bytes of a file can't be written or are missing."""

    def __init__(self, message: str) -> None:
        super().__init__([Problem("", message)])


def store_file(*, upload: Upload, user: Any) -> StoredFile:
    """Store a file and return its row; raise Refusal if it can't be stored, or
    StorageUnavailable.

    The content type sent by the client is stored but never trusted.
    """
    authorise_upload(user)
    key, limit = uuid.uuid4(), size_limit()
    try:
        written = blobs.write(key, upload.chunks(), limit=limit)
    except TooManyBytes:
        raise FileTooLarge(limit) from None
    except StorageUnavailable:
        raise
    except OSError as error:
        if is_out_of_space(error):
            raise
        place = blobs.store().place
        logger.error("A file could not be written to %s: %s", place, error)
        reason = error.strerror or type(error).__name__
        message = _("The file could not be stored: %(reason)s.") % {"reason": reason}
        raise FileUnusable(message) from None
    try:
        make_room(user, written.size)
        with transaction.atomic():
            refuse_beyond_quota(user, written.size)
            return StoredFile.objects.create(
                id=key,
                name=file_name(upload.name, LONGEST_NAME) or _("file"),
                content_type=_clean_type(upload.content_type),
                size=written.size,
                sha256=written.sha256,
                uploaded_by_id=user.pk,
            )
    except BaseException:
        discard(key)
        raise


def open_file(file: StoredFile) -> BinaryIO:
    """Open a file for reading; raise FileUnusable if its bytes are missing
    (HOST-073), or StorageUnavailable."""
    try:
        return blobs.read(file.pk)
    except StorageUnavailable:
        raise
    except OSError as error:
        logger.error("The bytes of file %s cannot be read: %s", file.pk, error)
        message = _("The contents of “%(name)s” are missing; upload the file again.")
        raise FileUnusable(message % {"name": file.name}) from None


def readable_file(*, key: uuid.UUID, user: Any) -> StoredFile | None:
    """Return a file `user` may read: their own, or any for an administrator."""
    file = StoredFile.objects.filter(pk=key).first()
    if file is None or file.uploaded_by_id == user.pk or is_administrator(user):
        return file
    return None


def size_limit() -> int:
    """Return the maximum size of an uploaded file in bytes."""
    limit: int = settings.PLATFORM_MAX_FILE_SIZE
    return min(limit, bytes_allowed() or limit)


def largest_body(user: Any) -> int:
    """Return the maximum size of a body with a file that `user` may send."""
    return size_limit() + ROUND_THE_FILE if may_upload(user) else 0


def _clean_type(content_type: str | None) -> str:
    said = (content_type or "").partition(";")[0].strip().lower()
    return said if _TYPE.fullmatch(said) else ANY_TYPE
