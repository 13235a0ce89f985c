"""Tests of the system page."""
