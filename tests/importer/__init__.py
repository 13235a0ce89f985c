"""Tests of the import engine, from inside and from outside."""
