"""Put up on the start page what the reusable apps and the host have to say: they know
nothing of that page."""

from __future__ import annotations

from importer.registry import may_import
from platform_site import noticeboard
from platform_site.accounts.services import is_administrator
from platform_site.overview.host import (
    backups,
    damage,
    disk_space,
    empty_start,
    exposure,
)
from platform_site.overview.imports import packages, runs
from platform_site.overview.licence import licence

noticeboard.register(packages, seen_by=may_import)
noticeboard.register(runs, seen_by=may_import)
noticeboard.register(disk_space, seen_by=is_administrator)
noticeboard.register(damage, seen_by=is_administrator)
noticeboard.register(empty_start, seen_by=is_administrator)
noticeboard.register(exposure, seen_by=is_administrator)
noticeboard.register(licence, seen_by=is_administrator)
noticeboard.register(backups, seen_by=is_administrator)
