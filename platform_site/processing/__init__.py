"""Data processors: an app declares them in its module `processors`; each has a page, an
endpoint, a right and can run as a job. See docs/processors.md."""

from __future__ import annotations
