"""The static files in `wwwroot/`, compressed once with the best ratio."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Final

import brotli
from django.contrib.staticfiles.finders import get_finders
from django.core.files.storage import FileSystemStorage

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.publishing.errors import CannotPublishError
from platform_site.site.web.static_files import LIBRARIES, PublishedFiles

# Source maps are for developers. Files of libraries that our pages don't load would only
# need to be kept up to date.
_LEFT_OUT: Final = [
    *("*.map", "CVS", ".*", "*~"),
    *("*redoc*", "rest_framework", "*/oauth2-redirect.*"),
    *("django_htmx/ext/*", "*/htmax-*", "*/htmx-4*", "*/htmx-2.js", "*/django-htmx.js"),
]
# Formats that are compressed already.
_COMPACT: Final = (
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".woff", ".woff2"),
    *(".zip", ".br", ".gz"),
)


def collect(target: Path, base_url: str) -> None:
    """Copy every app's files, add copies named by content, and compress all."""
    storage = PublishedFiles(location=str(target), base_url=base_url)
    found: dict[str, tuple[FileSystemStorage, str]] = {}
    for finder in get_finders():
        for path, source in finder.list(_LEFT_OUT):
            if isinstance(source, FileSystemStorage):
                found.setdefault(_published_name(path, source), (source, path))
    for name, (source, path) in sorted(found.items()):
        with source.open(path) as file:
            storage.save(name, file)
    sources = {name: (storage, name) for name in found}
    for name, _hashed, outcome in storage.post_process(sources):
        if isinstance(outcome, Exception):
            raise CannotPublishError(f"The file {name} cannot be published: {outcome}")
    _compress_all(target)


def _published_name(path: str, source: FileSystemStorage) -> str:
    place = Path(source.location)
    own = place.is_relative_to(APPLICATION_FOLDER) and "site-packages" not in str(place)
    name = Path(path).as_posix()
    return name if own else f"{LIBRARIES}/{name}"


def _compress_all(folder: Path) -> None:
    done: dict[bytes, tuple[bytes, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in _COMPACT:
            continue
        content = path.read_bytes()
        if content not in done:
            # Without a timestamp, so that equal content gives equal files.
            zipped = gzip.compress(content, compresslevel=9, mtime=0)
            done[content] = (brotli.compress(content), zipped)
        for end, compressed in zip((".br", ".gz"), done[content], strict=True):
            path.with_name(path.name + end).write_bytes(compressed)
