"""Tests of the endpoints with a client in the same process."""

from __future__ import annotations
