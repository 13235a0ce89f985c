"""Benchmarks: ``python -m tests.benchmarks`` prints ratios taken in one run."""
