"""The importer hook of jobs: which job started a run."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from importer import registry
from importer.models import ImportRun
from platform_site.scheduling.models import Job, JobExecution


def starter_of(key: str, user: Any) -> tuple[str, str]:
    """Return the name of the job that started a run, and the URL of its execution, or
    of the job if the execution has been deleted."""
    job_id, _slash, execution_id = key.partition("/")
    job = Job.objects.filter(pk=job_id).first() if job_id else None
    if job is None:
        return "", ""
    if execution_id and job.executions.filter(pk=execution_id).exists():
        return job.name, _page(JobExecution, execution_id, user)
    return job.name, _page(Job, job_id, user)


def _page(model: type[Job | JobExecution], key: str, user: Any) -> str:
    options = model._meta
    if not user.is_staff or not user.has_perm(
        f"{options.app_label}.view_{options.model_name}"
    ):
        return ""
    return reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[key])


registry.register_starter(ImportRun.StartedVia.JOB, starter_of)
