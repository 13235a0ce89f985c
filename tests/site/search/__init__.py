"""Tests of the search above all pages."""

from __future__ import annotations
