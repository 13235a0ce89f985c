"""The files that data processors make: their result has a file, which users download and
table sources import."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from platform_site.files.models import StoredFile
from platform_site.files.services import readable_file, store_file
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import processors
from platform_site.processing.services import Execution
from platform_site.processing.uploads import file_in_result, makes_files, needs_file


@dataclass(frozen=True, slots=True)
class _MadeFile:
    """A file that isn't an upload, with the interface of one."""

    name: str
    pieces: Iterable[bytes]
    content_type: str

    def chunks(self) -> Iterable[bytes]:
        """Return the bytes in pieces."""
        return self.pieces


def store_made_file(
    name: str,
    pieces: Iterable[bytes],
    *,
    user: Any,
    content_type: str = "text/csv",
) -> StoredFile:
    """Store a file that a processor makes for `user`, and return it for the result; raise
    Refusal if it can't be stored."""
    return store_file(upload=_MadeFile(name, pieces, content_type), user=user)


def unattended_makers() -> dict[str, type[DataProcessor]]:
    """Return the processors that make a file without asking for one, by name."""
    return {
        name: each
        for name, each in processors().items()
        if makes_files(each) and not needs_file(each)
    }


def made_file(execution: Execution, user: Any) -> StoredFile | None:
    """Return the file that an execution made, None if it made none."""
    key = execution.result.get(file_in_result(execution.processor))
    return None if key is None else readable_file(key=UUID(str(key)), user=user)
