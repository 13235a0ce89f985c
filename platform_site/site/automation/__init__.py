"""The automation page: jobs, data processors and table sources in one place."""

from __future__ import annotations
