"""What the search above all pages finds here: jobs, for those who may view them."""

from __future__ import annotations

from collections.abc import Iterator

from platform_site.scheduling.models import Job
from platform_site.search_sources import Hits, Search, hits_in, register


def jobs(search: Search) -> Iterator[Hits]:
    """Yield the jobs whose name matches."""
    return hits_in(search, Job.objects.all(), ("name",), icon="calendar-clock")


register(jobs, seen_by=lambda user: user.has_perm("scheduling.view_job"))
