"""Tests of the published folder."""

from __future__ import annotations
