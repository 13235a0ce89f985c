"""Tests of the environment of runs: background, dry runs, locks, reports."""

from __future__ import annotations
