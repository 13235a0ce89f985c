"""The folder of attachments that several nodes share: whether it is there. Under a mount
that is gone lies an empty folder, and what is stored in it no other node would find."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from platform_site.files.stores import MARK


def missing_folder() -> Path | None:
    """Return the shared folder if it isn't there, None if it is or none is shared."""
    if not settings.PLATFORM_NODES or settings.PLATFORM_BLOBS_BUCKET is not None:
        return None
    folder = Path(settings.PLATFORM_BLOBS_FOLDER)
    try:
        is_there = (folder / MARK).is_file()
    except OSError:  # such as a stale handle of a network folder
        is_there = False
    return None if is_there else folder


def folder_trouble() -> str:
    """Return that the shared folder is missing as a sentence, empty if it isn't."""
    folder = missing_folder()
    if folder is None:
        return ""
    text = _(
        "The folder of attachments that the nodes share, %(folder)s, is missing or not "
        "mounted on this node: it doesn't have the file %(mark)s. Mount it again; until "
        "then this node isn't ready (BlobStorage:LocalDiskRootPath)."
    )
    return text % {"folder": folder, "mark": MARK}
