"""`manage.py maintenance`: begins or ends a maintenance, or tells whether one is in
progress."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_datetime

from importer import named_zone
from platform_site.maintenance import (
    Maintenance,
    begin_maintenance,
    current_maintenance,
    end_maintenance,
)
from platform_site.settings.configuration import active


class Command(BaseCommand):
    """The command for the maintenance mode; a running server follows at once."""

    help = "Begins or ends a maintenance: people get a message instead of pages."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("action", choices=["on", "off", "status"])
        parser.add_argument("--message", default="", help="What people are told.")
        parser.add_argument(
            "--until",
            default="",
            help="When it is expected to end: '2026-12-01 18:00', in Platform:TimeZone.",
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Carry out the action, and print the state."""
        folder = active().data_folder / "db"
        if not folder.is_dir():
            raise CommandError(
                f"There is no installation in {folder.parent}; check Platform:DataPath.",
                returncode=2,
            )
        try:
            self._carry_out(options)
        except OSError as error:
            raise CommandError(
                f"The maintenance can't be changed in {folder}: "
                f"{error.strerror or error}."
            ) from error

    def _carry_out(self, options: dict[str, Any]) -> None:
        if options["action"] == "off":
            was_on = end_maintenance()
            self.stdout.write("Maintenance is over." if was_on else "It was not on.")
            return
        found = current_maintenance()
        if options["action"] == "on":
            until = _moment(options["until"]) if options["until"] else None
            found = begin_maintenance(options["message"], until)
        self.stdout.write(_described(found))


def _moment(text: str) -> datetime:
    zone = named_zone(active().time_zone)
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(
            f"'{text}' isn't a date and time such as '2026-12-01 18:00'.", returncode=2
        )
    moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    if moment <= datetime.now(UTC):
        raise CommandError(f"'{text}' is in the past.", returncode=2)
    return moment


def _described(found: Maintenance | None) -> str:
    if found is None:
        return "Maintenance is off."
    end = (
        ""
        if found.until is None
        else f", expected until {found.until:%Y-%m-%d %H:%M %Z}"
    )
    message = f": {found.message}" if found.message else "."
    return f"Maintenance is on since {found.since:%Y-%m-%d %H:%M %Z}{end}{message}"
