"""The host process: data folder, keys, the startup sequence, and the server."""

from __future__ import annotations
