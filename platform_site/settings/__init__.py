"""The settings of the site: a pure loader, and the modules that Django reads."""

from __future__ import annotations
