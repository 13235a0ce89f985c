"""The registration of notices of reusable apps and the host, which don't depend on the
start page."""

from __future__ import annotations

from importer.registry import may_import
from platform_site import notices
from platform_site.accounts.services import is_administrator
from platform_site.site.overview.host import (
    backups,
    damage,
    disk_space,
    empty_start,
    exposure,
    maintenance,
)
from platform_site.site.overview.imports import packages, runs
from platform_site.site.overview.licence import licence

notices.register(packages, seen_by=may_import)
notices.register(runs, seen_by=may_import)
notices.register(disk_space, seen_by=is_administrator)
notices.register(maintenance, seen_by=is_administrator)
notices.register(damage, seen_by=is_administrator)
notices.register(empty_start, seen_by=is_administrator)
notices.register(exposure, seen_by=is_administrator)
notices.register(licence, seen_by=is_administrator)
notices.register(backups, seen_by=is_administrator)
