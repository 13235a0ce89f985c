"""Tests of the scheduled jobs: their schedules, the thread that starts them, their pages."""

from __future__ import annotations
