"""Tests of the house's own rules, and what writes generated pages."""

from __future__ import annotations
