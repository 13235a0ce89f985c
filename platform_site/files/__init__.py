"""Uploaded files: bytes in the blob folder under generated names, and everything else
in the database. They are stored and returned, never opened or executed."""

from __future__ import annotations
