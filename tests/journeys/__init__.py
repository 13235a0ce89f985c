"""Tests that start the product as a process of its own, as its users do."""
