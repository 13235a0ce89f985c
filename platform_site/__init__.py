"""The platform: settings, shared apps for business apps, and the site that serves
them."""

from __future__ import annotations

# The version, as in `pyproject.toml` and the changelog.
__version__ = "0.2.0"
