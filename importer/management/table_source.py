"""The argument `--source` of the command that imports a table."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from importer.management.exit_codes import WRONG_CALL
from importer.models import ImportRun, TableSource
from importer.tables.sources import SourceDisabled, UnknownSource, get_source


def add_source_argument(parser: ArgumentParser) -> None:
    """Add the argument that names a saved source."""
    parser.add_argument(
        "--source",
        metavar="NAME",
        default="",
        help="the saved source that describes the table, instead of --target and --map",
    )


def chosen_source(options: dict[str, Any]) -> TableSource | None:
    """Return the source that the command names, None without one; raise CommandError
    for one that can't be used."""
    if not options["source"]:
        return None
    if options["target"] or options["map"]:
        message = "--source describes the table; leave out --target and --map."
        raise CommandError(message, returncode=WRONG_CALL)
    try:
        source = get_source(options["source"])
        if not source.enabled:
            raise SourceDisabled(source)
    except (UnknownSource, SourceDisabled) as refusal:
        raise CommandError(str(refusal), returncode=WRONG_CALL) from None
    return source


def started_via(source: TableSource | None) -> str:
    """Return what a run remembers of how it was started."""
    command = ImportRun.StartedVia.COMMAND.value
    return command if source is None else f"{command}:{source.name}"
