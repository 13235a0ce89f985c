"""What runs of imports remember of the job that started them."""

from __future__ import annotations


def starter_key(job_id: int | None, execution_id: int | None) -> str:
    """Return the keys of a job and its execution as a run has them."""
    return f"{job_id or ''}/{execution_id or ''}"
