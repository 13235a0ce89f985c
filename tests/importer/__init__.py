"""Tests of the import engine, both of its parts and through its interfaces."""
