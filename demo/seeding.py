"""Demo seeding: applies an embedded package and creates demo users, once. A newer
version of the package is applied at a later start."""

from __future__ import annotations

import logging
from collections.abc import Callable
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from demo.errors import DemoRefused
from demo.models import DemoInstallation, Seeder
from demo.packages import bringing_back, demo_package
from demo.users import DemoUser, demo_users
from importer import LimitReached, Outcome, Severity
from importer.models import ImportRun
from importer.services import (
    AppliedPackage,
    EmbeddedPackage,
    ImportOptions,
    Report,
    embedded_package,
    import_package,
)
from licensing.limits import judge_users
from licensing.services import current_limits
from platform_site.accounts.built_in import ADMIN_ACCOUNT
from platform_site.accounts.models import User
from platform_site.accounts.services import check_roles, create_user

__all__ = ["DemoRefused", "apply_pending_update", "get_installation", "seed"]

logger = logging.getLogger("platform.demo")
Progress = Callable[[str, int, int | None], None]
_MAX_SENTENCES = 5


def get_installation() -> DemoInstallation | None:
    """Return the marker, None if this isn't a demo installation (IMP-248)."""
    return DemoInstallation.objects.filter(removed_at=None).first()


def seed(
    package_id: str | None = None,
    *,
    progress: Progress = lambda stage, done, total: None,
    run_id: UUID | None = None,
) -> Report | None:
    """Apply a demo package, then create the demo users and the marker (IMP-233).

    A given run identifier lets others watch the run.

    Return None if there is a marker already, otherwise the report. If it has errors
    there are no marker and users, and repeating continues. After a removal only a
    package given by name is seeded, and removed rows are restored.

    Raise DemoRefused, mostly before the first write, and what `import_package` raises.
    """
    marker = DemoInstallation.objects.first()
    if marker is not None and (marker.removed_at is None or package_id is None):
        return None
    embedded = demo_package(package_id)
    _check_users(demo_users())
    report = _apply(
        embedded,
        ImportOptions(run_id=run_id, started_via=ImportRun.StartedVia.DEMO),
        progress=progress,
        restore=marker is not None,
    )
    if _is_clean(report):
        _make_demo_installation(embedded.package)
    return report


def apply_pending_update() -> Report | None:
    """Apply the package of the marker again if its embedded version is higher.

    Every start calls it; a failure is logged and not raised (IMP-243 to IMP-247).
    """
    try:
        embedded = _pending()
        if embedded is None:
            return None
        options = ImportOptions(
            continue_on_error=True,
            started_via=ImportRun.StartedVia.DEMO,
            default_policies=True,
        )
        report = _apply(embedded, options)
    except Exception:  # the platform must start after any error
        logger.exception(
            "The demo data could not be updated; the next start tries again."
        )
        return None
    if _is_clean(report):
        logger.info(
            "The demo data is updated to version %d of %s.",
            embedded.version,
            embedded.package,
        )
    elif was_stopped(report):
        logger.info("Updating the demo data was stopped; the next start continues.")
    else:
        tell_errors(report, "The demo data was updated with errors")
    return report


def was_stopped(report: Report) -> bool:
    """Return whether the only problem is that the process was asked to end."""
    return report.status == "Interrupted" and not report.has_errors


def tell_errors(report: Report, what: str) -> None:
    """Log the first errors of a report."""
    diagnostics = [d for d in report.diagnostics if d.severity is Severity.ERROR]
    entries = report.items.with_outcome(Outcome.FAILED)
    sentences = [d.message for d in diagnostics] or [entry.message for entry in entries]
    logger.error(
        "%s; run %s: %s",
        what,
        report.run_id,
        " ".join(sentences[:_MAX_SENTENCES]) or report.status,
    )


def _pending() -> EmbeddedPackage | None:
    installation = get_installation()
    if installation is None:
        return None
    embedded = embedded_package(installation.package)
    if embedded is None or embedded.version is None:
        return None
    applied = AppliedPackage.objects.filter(package=embedded.package).first()
    if applied is not None and embedded.version <= applied.version:
        return None
    return None if _was_undone(embedded) else embedded


def _was_undone(embedded: EmbeddedPackage) -> bool:
    """Return whether somebody has undone a run of this version of a package."""
    undoing = ImportRun.objects.real().filter(kind=ImportRun.Kind.UNDO)
    return undoing.filter(package=embedded.package, version=embedded.version).exists()


def _apply(
    embedded: EmbeddedPackage,
    options: ImportOptions,
    *,
    progress: Progress = lambda stage, done, total: None,
    restore: bool = False,
) -> Report:
    with embedded.path.open("rb") as source:
        package = bringing_back(source) if restore else source
        return import_package(package, options, user=_seeder(), progress=progress)


def _seeder() -> Seeder:
    """Return the account `admin`, which writes demo data (OPEN-67)."""
    seeder = Seeder.objects.filter(username=ADMIN_ACCOUNT).first()
    if seeder is None:
        raise DemoRefused(
            f"The account “{ADMIN_ACCOUNT}” is missing; start the platform, which "
            "creates it."
        )
    return seeder


def _is_clean(report: Report) -> bool:
    return report.status == "Completed" and not report.has_errors


def _check_users(users: list[DemoUser]) -> None:
    """Raise DemoRefused for too many users or a missing role (OPEN-68, OPEN-70)."""
    people = User.objects.filter(is_service=False).count()
    too_many = judge_users(current_limits(), people + len(_missing(users)))
    if too_many:
        raise DemoRefused(
            f"The demo users cannot be added. {too_many} Delete users who are not "
            "needed, or install a licence for more."
        )
    try:
        check_roles(role for user in users for role in user.roles)
    except ValidationError as error:
        raise DemoRefused(" ".join(error.messages)) from None


def _make_demo_installation(package: str) -> None:
    """Write marker and users in one transaction.

    Of two concurrent seedings the second finds the marker and creates no users.
    """
    now = timezone.now()
    with transaction.atomic():
        marker, is_new = DemoInstallation.objects.get_or_create(
            defaults={"package": package, "seeded_at": now}, pk=1
        )
        if not is_new and marker.removed_at is None:
            return
        marker.package, marker.seeded_at, marker.removed_at = package, now, None
        marker.users += [_create(user).pk for user in _missing(demo_users())]
        marker.save()


def _missing(users: list[DemoUser]) -> list[DemoUser]:
    """Return the demo users without an account; existing accounts are not changed
    (OPEN-68)."""
    names = [user.user_name for user in users]
    there = set(
        User.objects.filter(username__in=names).values_list("username", flat=True)
    )
    return [user for user in users if user.user_name not in there]


def _create(user: DemoUser) -> User:
    try:
        return create_user(
            user_name=user.user_name,
            password=user.password,
            email=user.email,
            roles=user.roles,
        )
    except (ValidationError, LimitReached) as error:
        # The limit may have been reached during the import.
        why = error.messages if isinstance(error, ValidationError) else [str(error)]
        raise DemoRefused(
            f"The package is applied, but the user “{user.user_name}” cannot be "
            f"created: {' '.join(why)} Correct that, then seed again."
        ) from None
