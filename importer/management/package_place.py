"""Places in a package for people and editors: ``garden.json:7012 item:70501 price``."""

from __future__ import annotations

from collections.abc import Iterator

from importer.package import paths
from importer.package.item_result import ItemResult
from importer.pipeline.causes import FirstOccurrence


def place_of(first: FirstOccurrence, file: str) -> str:
    """Return the first place of a cause: line and column of a table, if the package was
    made from one."""
    if first.column is not None:
        return first.place
    return _place(file, first.line, first.id, first.path)


def refusals_of(entry: ItemResult, file: str) -> Iterator[str]:
    """Yield the messages of a failed object, each with its place."""
    base = paths.item_path(entry.step, entry.index)
    for message in paths.messages_of(entry.message):
        path, _separator, text = message.partition(": ")
        if not base or not path.startswith(base):
            path, text = base, message
        yield f"{_place(file, entry.line, entry.id, path)}: {text}"


def _place(file: str, line: int | None, identifier: str | None, path: str) -> str:
    """Return a place. Inside an object its id replaces the step and the index."""
    inner = paths.of_item(path)
    if identifier and inner is not None:
        path = f"{identifier} {inner[2]}"
    elif path == paths.WHOLE:
        path = ""
    # Only a file has lines.
    source = f"{file}:{line}" if file and line else file
    return f"{source} {path}".strip()
