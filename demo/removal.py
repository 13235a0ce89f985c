"""The removal of demo data: unchanged demo rows are deleted one by one through the
services; others are kept, each with a reason. The command and the page use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from demo.errors import DemoRefused
from demo.models import DemoInstallation
from demo.seeding import get_installation
from importer import registry
from importer.services import import_lock
from platform_site.accounts.models import User
from platform_site.accounts.services import is_administrator, update_user
from platform_site.changes.services import ChangeEvent, ChangeOrigin
from platform_site.records.errors import InUse, Refusal, Stale
from platform_site.records.models import Record
from platform_site.records.services import delete_record


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A row that is kept, with the reason."""

    catalog: str
    row_id: int
    row: str
    reason: str


@dataclass(slots=True)
class Removal:
    """The result of a removal of demo data, or of its preview."""

    package: str
    dry_run: bool
    removed: dict[str, int] = field(default_factory=dict)
    kept: list[KeptRow] = field(default_factory=list)
    disabled_users: list[str] = field(default_factory=list)


def remove_demo_data(*, actor: Any, dry_run: bool = False) -> Removal:
    """Delete the demo rows, disable the demo users, and note it in the marker.

    Each row has its own transaction, so an interrupted removal can be repeated. A dry
    run does the same inside one transaction that is rolled back, because only then
    posting and references are checked realistically.

    Raise DemoRefused, ImportInProgress while an import runs, and LockUnusable.
    """
    if not is_administrator(actor):
        raise DemoRefused(_("Only administrators may remove the demo data."))
    with import_lock(actor.get_username(), "the removal of demo data"):
        installation = get_installation()
        if installation is None:
            raise DemoRefused(_("There is no demo data in this installation."))
        removal = Removal(installation.package, dry_run)
        if dry_run:
            with transaction.atomic():
                _remove(removal, installation, actor)
                transaction.set_rollback(True)
        else:
            _remove(removal, installation, actor)
            installation.removed_at = timezone.now()
            installation.save(update_fields=["removed_at"])
    return removal


def _remove(removal: Removal, installation: DemoInstallation, actor: Any) -> None:
    waiting = []
    for row, reason in _rows(installation.package):
        if reason:
            removal.kept.append(_kept(row, reason))
        else:
            waiting.append(row)
    _delete(waiting, removal, actor)
    for user in User.objects.filter(pk__in=installation.users, is_active=True):
        if user.pk != actor.pk:
            user.is_active = False
            update_user(user=user)
            removal.disabled_users.append(user.username)


def _rows(package: str) -> Iterator[tuple[Any, str]]:
    """Yield each live row of the package, with the reason to keep it, if any.

    Targets registered last come first, because they refer to the others, and within a
    target the last rows; so most rows are no longer used when they are reached.
    """
    for target in reversed(list(registry.targets().values())):
        if not issubclass(target.model, Record):
            continue
        brought = set(
            ChangeEvent.objects.filter(
                model=target.name,
                action=ChangeEvent.Action.CREATED,
                origin=ChangeOrigin.DEMO_DATA,
            ).values_list("row_id", flat=True)
        )
        rows = target.model.objects.live().filter(import_source=package)
        for row in rows.order_by("-pk"):
            reason = ""
            if row.pk not in brought:
                reason = _("It existed before the demo data.")
            elif row.is_modified_after_import:
                reason = _("A user changed it.")
            yield row, reason


def _delete(waiting: list[Any], removal: Removal, actor: Any) -> None:
    """Delete rows, and repeat while deletions have freed others."""
    blocked: list[tuple[Any, str]] = []
    while waiting:
        blocked = []
        for row in waiting:
            try:
                delete_record(row=row, actor=actor)
            except InUse as refusal:
                blocked.append((row, _words(refusal)))
            except Refusal as refusal:
                removal.kept.append(_kept(row, _words(refusal)))
            except Stale:
                removal.kept.append(_kept(row, _("A user is changing it right now.")))
            else:
                count = removal.removed.get(row.catalog_name, 0)
                removal.removed[row.catalog_name] = count + 1
        if len(blocked) == len(waiting):
            break
        waiting = [row for row, _reason in blocked]
    removal.kept += [_kept(row, reason) for row, reason in blocked]


def _kept(row: Any, reason: str) -> KeptRow:
    return KeptRow(row.catalog_name, row.pk, str(row), reason)


def _words(refusal: Refusal) -> str:
    return " ".join(problem.message for problem in refusal.problems)
