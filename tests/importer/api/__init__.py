"""Tests of the endpoints, by a client in the same process."""

from __future__ import annotations
