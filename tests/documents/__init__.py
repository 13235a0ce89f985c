"""Tests of the documents."""

from __future__ import annotations
