"""Data processors: an app declares one in its module `processors`, and it has a page, an
endpoint, a right and a place in the scheduler's list. How to write one: docs/processors.md."""

from __future__ import annotations
