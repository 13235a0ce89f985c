"""Uploaded files: bytes in the blob folder under a name of our own, everything said
about them in the database. They are kept and given back, never opened or run."""

from __future__ import annotations
