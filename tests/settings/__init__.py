"""Tests of the settings loader and what it builds."""

from __future__ import annotations
