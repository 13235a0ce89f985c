"""Jobs: data processors that run automatically, on a schedule an administrator sets."""

from __future__ import annotations
