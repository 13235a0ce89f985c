"""Tests of the scheduled jobs: their moments, the thread that keeps them, their pages."""

from __future__ import annotations
