"""One module per command, with its name."""

from __future__ import annotations
