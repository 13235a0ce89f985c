"""Tests of the base of business rows: its services and its pages."""

from __future__ import annotations
