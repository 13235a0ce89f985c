"""The API of jobs and their executions, for those who may view them, and of requested
executions. Jobs are made and changed on the pages."""

from __future__ import annotations

from typing import Any, Final

from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import DeclaredOnly
from importer.targets import ChoiceField, DateTimeField, NumberField, StrictSerializer
from platform_site.api_lists import FilteredList, OneRow, YesOrNoField
from platform_site.processing.background import RETRY_SECONDS, ExecutionSerializer
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.services import next_run

_LARGEST_KEY = 10**18 - 1


class JobSerializer(serializers.ModelSerializer[Job]):
    """A job with its schedule and its next run."""

    intervalSeconds = serializers.IntegerField(
        source="interval_seconds", allow_null=True
    )
    timeZone = serializers.CharField(source="time_zone")
    runAs = serializers.CharField(
        source="run_as.username",
        default=None,
        allow_null=True,
        help_text="Name of the user, null if it was deleted.",
    )
    input = extend_schema_field(OpenApiTypes.OBJECT)(serializers.JSONField)()
    nextRun = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = (
            "id",
            "name",
            "processor",
            "input",
            "cron",
            "intervalSeconds",
            "timeZone",
            "runAs",
            "enabled",
            "nextRun",
        )

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_nextRun(self, job: Job) -> Any:  # noqa: N802 - named like the property
        """Return when the job runs next, None if it is disabled."""
        at = next_run(job, timezone.now()) if job.enabled else None
        return None if at is None else serializers.DateTimeField().to_representation(at)


class WhichJobsSerializer(StrictSerializer):
    """The query for jobs."""

    enabled = YesOrNoField(required=False)


class JobExecutionSerializer(serializers.ModelSerializer[JobExecution]):
    """An execution of a job."""

    jobId = serializers.IntegerField(source="job_id")
    dueAt = serializers.DateTimeField(source="due_at")
    startedBy = serializers.CharField(source="started_by")
    runAs = serializers.CharField(source="run_as")
    startedAt = serializers.DateTimeField(source="started_at", allow_null=True)
    finishedAt = serializers.DateTimeField(source="finished_at", allow_null=True)
    result = extend_schema_field(OpenApiTypes.ANY)(serializers.JSONField)()

    class Meta:
        model = JobExecution
        fields = (
            "id",
            "jobId",
            "processor",
            "status",
            "dueAt",
            "startedBy",
            "runAs",
            "startedAt",
            "finishedAt",
            "result",
            "message",
        )


class WhichExecutionsSerializer(StrictSerializer):
    """The query for executions."""

    jobId = NumberField(
        source="job_id", required=False, min_value=1, max_value=_LARGEST_KEY
    )
    status = ChoiceField(JobExecution.Status.values, required=False)
    dueFrom = DateTimeField(source="due_at__gte", required=False)
    dueTo = DateTimeField(source="due_at__lte", required=False)


_JOBS: Final = Job.objects.select_related("run_as").order_by("name", "id")
_EXECUTIONS: Final = JobExecution.objects.filter(job__isnull=False).order_by(
    "-due_at", "-id"
)


@extend_schema_view(
    get=extend_schema(
        tags=["Jobs"],
        operation_id="listJobs",
        summary="List jobs",
        parameters=[WhichJobsSerializer],
    )
)
class JobsView(FilteredList):
    """The jobs."""

    model = Job
    serializer_class = JobSerializer
    queryset = _JOBS
    which = WhichJobsSerializer


@extend_schema_view(
    get=extend_schema(tags=["Jobs"], operation_id="getJobs", summary="Read one: job")
)
class JobView(OneRow):
    """One job."""

    model = Job
    serializer_class = JobSerializer
    queryset = _JOBS


@extend_schema_view(
    get=extend_schema(
        tags=["Jobs"],
        operation_id="listJobExecutions",
        summary="List executions of jobs, newest first",
        parameters=[WhichExecutionsSerializer],
    )
)
class JobExecutionsView(FilteredList):
    """The executions of all jobs."""

    model = JobExecution
    serializer_class = JobExecutionSerializer
    queryset = _EXECUTIONS
    which = WhichExecutionsSerializer


@extend_schema_view(
    get=extend_schema(
        tags=["Jobs"],
        operation_id="getJobExecutions",
        summary="Read one: execution of a job",
    )
)
class JobExecutionView(OneRow):
    """One execution, with its result."""

    model = JobExecution
    serializer_class = JobExecutionSerializer
    queryset = _EXECUTIONS


class ExecutionView(DeclaredOnly):
    """A requested execution."""

    @extend_schema(
        tags=["Executions"],
        operation_id="getExecutions",
        summary="Read one: requested execution",
        responses=ExecutionSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return an execution that was requested with `Prefer: respond-async`, with its
        result once it has ended. Whoever requested it may read it, and who may view
        executions."""
        found = JobExecution.objects.filter(pk=pk, job__isnull=True).first()
        user = request.user
        if found is None or not (
            found.requested_by_id == user.pk
            or user.has_perm("scheduling.view_jobexecution")
        ):
            raise NotFound(_("This execution doesn't exist."))
        is_over = found.status not in JobExecution.UNFINISHED
        headers = {} if is_over else {"Retry-After": str(RETRY_SECONDS)}
        return Response(ExecutionSerializer(found).data, headers=headers)


urlpatterns = [
    path("Executions/<int:pk>", ExecutionView.as_view(), name="execution"),
    path("Jobs", JobsView.as_view()),
    path("Jobs/<int:pk>", JobView.as_view()),
    path("JobExecutions", JobExecutionsView.as_view()),
    path("JobExecutions/<int:pk>", JobExecutionView.as_view()),
]
