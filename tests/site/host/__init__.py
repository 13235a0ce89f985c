"""Tests of the host process: data folder, key, startup, server."""

from __future__ import annotations
