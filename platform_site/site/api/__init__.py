"""The interface for other programs, put together here: paths, errors, paging, parsing
and the documentation that is made from the views."""

from __future__ import annotations
