"""The tests, in folders that mirror the packages they test."""

from __future__ import annotations
