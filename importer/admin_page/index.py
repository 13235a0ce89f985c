"""The contents of the start page: packages, upload, run in progress, history."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest
from django.utils.translation import gettext as _

from importer import conf, services
from importer.admin_page.history import history
from importer.models import ImportRun
from importer.runs import kept_packages, package_uploads, proposals
from importer.runs.options import zone_for
from importer.runs.progress import going_on
from importer.services import ImportOptions, ListedPackage
from importer.sources import digest_of


class Offer(msgspec.Struct, frozen=True):
    """An embedded package, and the dry run that allows its import, if any."""

    listed: ListedPackage
    planned: ImportRun | None

    @property
    def is_update(self) -> bool:
        """Return whether this version has never been applied."""
        applied, version = self.listed.applied_version, self.listed.embedded.version
        return version is not None and (applied is None or applied < version)


def index(request: HttpRequest) -> dict[str, Any]:
    """Return the context of the start page."""
    services.end_what_died()
    proposals.settle()
    upload = package_uploads.latest(request.user)
    listed = [(one, _digest(one)) for one in services.list_packages()]
    digests = [digest for _one, digest in listed]
    uploaded = upload.digest if upload else ""
    runs = services.clean_dry_runs(request.user, [*digests, uploaded])
    planned = runs.get(uploaded)
    offers = [Offer(one, runs.get(digest)) for one, digest in listed]
    limit = int(conf.setting("MAX_PACKAGE_SIZE_BYTES"))
    zone = zone_for(ImportOptions(), request.user)
    return {
        "title": _("Import"),
        "progress": going_on(),
        "offers": offers,
        "upload": upload,
        "upload_planned": planned,
        "proposals": proposals.open_proposals(),
        "longest_answer": proposals.LONGEST_ANSWER,
        "newest": _newest([planned, *(offer.planned for offer in offers)]),
        "largest": limit,
        "zone": zone.key,
        "history": history(request.GET, zone),
    }


def _digest(listed: ListedPackage) -> str:
    return "" if listed.embedded.error else digest_of(listed.embedded)


def _newest(planned: list[ImportRun | None]) -> ImportRun | None:
    """Return the dry run whose import is the likely next step, to highlight its button.

    A dry run doesn't count if its package has been imported since then, even if that
    import was undone.
    """
    known = [run for run in planned if run is not None]
    newest = max(known, key=lambda run: run.started_at, default=None)
    if newest is None:
        return None
    since = kept_packages.imports_of(newest.package).filter(
        started_at__gt=newest.started_at,
        status=ImportRun.Status.COMPLETED,
        has_errors=False,
    )
    if not since.exists():
        return newest
    return _newest([run for run in known if run.package != newest.package])
