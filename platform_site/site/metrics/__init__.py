"""Figures for monitoring in the formats of Prometheus. Nothing here is imported unless
the metrics are turned on."""
