"""Tests of the licence: all sign with a key made for the test."""

from __future__ import annotations
