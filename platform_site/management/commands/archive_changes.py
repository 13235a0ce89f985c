"""`manage.py archive_changes`: moves old changes out of the history into files, or puts
them back; also while the server is running."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date

from importer import named_zone
from importer.commands import BUSY, VisibleCommand
from platform_site.log_context import logged_with
from platform_site.settings.configuration import active
from platform_site.site.archived_changes.archiving import (
    DEFAULT_FOLDER,
    ArchivingResult,
    archive_changes,
    preview,
)
from platform_site.site.archived_changes.errors import (
    ArchivingInProgress,
    WrongArchivingCall,
)
from platform_site.site.archived_changes.restoring import restore_changes

# Deletions can be taken back on their page for a day.
_LEAST_DAYS: Final = 2
_MOST_DAYS: Final = 36_500
_ON_ONE_NODE: Final = (
    "They are in the data folder of this node, so only here --restore finds them. Name a "
    "folder that all nodes share with --to."
)


class Command(VisibleCommand):
    """The command that archives changes, says what it would archive, or restores
    some."""

    help = (
        "Moves changes that are older than a moment, and that nothing needs any more, "
        "into compressed files, or puts them back with --restore."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments."""
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--older-than", type=int, metavar="DAYS", help="changes of that age"
        )
        what.add_argument(
            "--before", metavar="DATE", help="changes before a day, such as 2026-01-01"
        )
        what.add_argument(
            "--restore",
            nargs="+",
            type=Path,
            metavar="FILE",
            help="put the changes of files back into the history",
        )
        parser.add_argument(
            "--to",
            type=Path,
            metavar="FOLDER",
            help="a folder of its own; default: archive/changes in the data folder",
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="say how many changes would be archived, and write nothing",
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Carry out what is asked for, and print what was done."""
        try:
            with logged_with(via="command"):
                self._carry_out(options)
        except ArchivingInProgress as refusal:
            raise CommandError(str(refusal), returncode=BUSY) from None

    def _carry_out(self, options: dict[str, Any]) -> None:
        configuration = active()
        if options["restore"]:
            if options["dry_run"] or options["to"]:
                raise WrongArchivingCall("--restore takes neither --dry-run nor --to.")
            paths = [path.absolute() for path in options["restore"]]
            restore_changes(configuration, paths, self.stdout.write)
            return
        before = _moment(options)
        folder = options["to"] or configuration.data_folder.joinpath(*DEFAULT_FOLDER)
        if options["dry_run"]:
            outcome = preview(configuration, before)
        else:
            outcome = archive_changes(
                configuration, before, folder.absolute(), self.stdout.write
            )
        self._report(
            outcome,
            before,
            dry_run=options["dry_run"],
            is_elsewhere=options["to"] is not None,
        )

    def _report(
        self,
        outcome: ArchivingResult,
        before: datetime,
        *,
        dry_run: bool,
        is_elsewhere: bool,
    ) -> None:
        if not outcome.count:
            self.stdout.write("There is nothing to archive.")
        else:
            first, last = (f"{_local(at):%Y-%m-%d}" for at in outcome.times)
            verb = "would be" if dry_run else "are"
            self.stdout.write(
                f"{outcome.count:,} changes from {first} to {last} {verb} archived, "
                f"{'about ' if dry_run else ''}{outcome.size:,} bytes."
            )
            if not dry_run:
                self.stdout.write(
                    "Backups don't contain these files; copy them to another machine."
                )
                if active().has_nodes and not is_elsewhere:
                    self.stdout.write(_ON_ONE_NODE)
        if outcome.before < before:
            self.stdout.write(
                f"Changes since {_local(outcome.before):%Y-%m-%d %H:%M} stay, because an "
                "import that began then hasn't ended."
            )
        if outcome.held_by is not None:
            hook = outcome.held_by
            remedy = "wait until it is" if hook.enabled else "enable or delete it"
            self.stdout.write(
                f"The webhook {hook} hasn't been told of all these changes, so the rest "
                f"stays; {remedy}, and run the command again."
            )


def _moment(options: dict[str, Any]) -> datetime:
    """Return the moment before which changes are archived."""
    latest = timezone.now() - timedelta(days=_LEAST_DAYS)
    if (days := options["older_than"]) is not None:
        if not _LEAST_DAYS <= days <= _MOST_DAYS:
            raise WrongArchivingCall(
                f"--older-than must be from {_LEAST_DAYS} to {_MOST_DAYS} days."
            )
        return timezone.now() - timedelta(days=days)
    try:
        day = parse_date(options["before"])
    except ValueError:
        day = None
    if day is None:
        raise WrongArchivingCall(
            f"'{options['before']}' isn't a date such as 2026-01-01."
        )
    moment = datetime.combine(day, time.min, named_zone(active().time_zone))
    if moment > latest:
        raise WrongArchivingCall(
            f"--before must be at least {_LEAST_DAYS} days ago, because recent deletions "
            "can still be taken back."
        )
    return moment.astimezone(UTC)


def _local(moment: datetime) -> datetime:
    return moment.astimezone(named_zone(active().time_zone))
