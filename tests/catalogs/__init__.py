"""Tests of the catalogs: their rules and the values they take."""

from __future__ import annotations
