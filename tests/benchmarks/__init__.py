"""Benchmarks: `python -m tests.benchmarks` measures the product beside its peers."""
