"""Tests of what surrounds a run: background, dry runs kept, reports read."""

from __future__ import annotations
