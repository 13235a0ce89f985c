"""The API as a whole: paths, errors, paging, parsing and documentation."""

from __future__ import annotations
