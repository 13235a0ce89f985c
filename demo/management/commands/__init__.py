"""One module per command, named as the operator types it."""

from __future__ import annotations
