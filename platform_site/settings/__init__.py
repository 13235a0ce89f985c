"""Settings of the site: the loader (pure), and the modules Django reads from it."""

from __future__ import annotations
