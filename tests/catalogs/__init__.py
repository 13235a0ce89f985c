"""Tests of `catalogs`: rules and values."""

from __future__ import annotations
