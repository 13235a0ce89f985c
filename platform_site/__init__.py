"""The site: its settings, its host process, and the apps every business app uses."""

from __future__ import annotations

# The version of the product, as `pyproject.toml` and the changelog have it.
__version__ = "0.2.0"
