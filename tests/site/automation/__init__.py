"""Tests of the automation page."""
