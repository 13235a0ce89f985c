"""The pages of the task queue's library are left out: its rows mean nothing to people,
who find runs, executions and mail in the pages of each."""

from __future__ import annotations

from django.contrib import admin
from procrastinate.contrib.django.models import ProcrastinateJob

if admin.site.is_registered(ProcrastinateJob):
    admin.site.unregister(ProcrastinateJob)
