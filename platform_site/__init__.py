"""The site: its settings, its host process, and the apps every business app uses."""

from __future__ import annotations
