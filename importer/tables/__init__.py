"""Tables as sources of packages: CSV and XLSX files, read row by row.

A table becomes a package in a temporary file, and an ordinary run reads that: marks,
outcomes, plans and undo are those of any package. It needs the extra ``tables`` of the
distribution. ``packages`` has what others call.

The path of a table: ``reading`` opens the file, ``detection`` finds how it is written,
``mapping`` and ``proposal`` find which column is which property, ``description_check``
reads a description instead, ``conversion`` turns rows into values, ``objects`` and
``documents`` turn these into objects, and ``package_text`` writes them.
"""

from __future__ import annotations

from importlib.util import find_spec

_LIBRARIES = ("charset_normalizer", "openpyxl")


def is_installed() -> bool:
    """Return whether the libraries are installed that read tables."""
    return all(find_spec(name) is not None for name in _LIBRARIES)
