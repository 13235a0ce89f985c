"""Tests of what the site says about itself."""

from __future__ import annotations
