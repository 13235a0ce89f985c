"""Tests of what every answer over HTTP has in common."""

from __future__ import annotations
