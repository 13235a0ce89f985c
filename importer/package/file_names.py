"""The names of uploaded files as stored, shown and offered for download. A client can
send any text; it is never used as a path."""

from __future__ import annotations

import re

from importer.package.printable_text import is_unprintable

_LONGEST_ENDING = 20
_FOLDER = re.compile(r".*[\\/]", re.DOTALL)


def file_name(given: str | None, longest: int) -> str:
    """Return a name without path, control and direction characters; ``""`` if nothing
    is left.

    A longer name is cut before its extension, which tells the type of the file.
    """
    last = _FOLDER.sub("", given or "")
    shown = "".join("_" if is_unprintable(each) else each for each in last)
    # Windows drops trailing dots and spaces; a name of only dots means a folder.
    name = shown.strip().rstrip(". ")
    if len(name) <= longest:
        return name
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending) > _LONGEST_ENDING:
        return name[:longest]
    return stem[: longest - len(dot + ending)] + dot + ending
