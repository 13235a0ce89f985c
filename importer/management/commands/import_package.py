"""The command that runs a package and reports the outcomes."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from importer import services
from importer.management.heading import heading, plan_heading
from importer.management.importing_user import user_named
from importer.management.output_options import wrong_call
from importer.management.package_source import STANDARD_INPUT, opened_package
from importer.management.report_file import opened_report
from importer.management.run_call import RunCall, add_report_argument
from importer.management.run_command import RunCommand, refusals_as_errors
from importer.models import ImportRun
from importer.package.shapes import Outcome
from importer.package.time_zones import named_zone
from importer.services import ImportOptions

_EXIT = """exit codes: 0 the run ended without errors; 1 it ended with errors, which are
printed with their places; 2 the call is wrong; 75 another import is in progress; 78 a
setting is wrong"""


class Command(RunCommand):
    """The command that imports a package in the foreground."""

    help = (
        "Import a package: a file, the identifier of an embedded package, or - for "
        "standard input."
    )
    outcomes = Outcome

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the package and the options (OPEN-66)."""
        parser.epilog = _EXIT
        parser.add_argument(
            "package",
            nargs="*",
            help="file, identifier of an embedded package, or - for standard input",
        )
        parser.add_argument(
            "--plan",
            metavar="RUN",
            help="instead of a package: import exactly what this dry run has planned",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="plan everything, write nothing"
        )
        parser.add_argument(
            "--continue-on-error",
            action="store_true",
            help="import the valid objects even if others fail",
        )
        parser.add_argument(
            "--time-zone", default="", help="time zone of $today, as an IANA name"
        )
        add_report_argument(parser)
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the package and exit with the code of OPEN-66."""
        package = _package(options)
        output = self.output(options)
        user = user_named(options["user"])
        how = ImportOptions(
            dry_run=options["dry_run"],
            continue_on_error=options["continue_on_error"],
            time_zone=options["time_zone"],
            started_via=ImportRun.StartedVia.COMMAND,
        )
        call = RunCall(self, options, output)
        if package is None:
            _carry_out_plan(call, options, user, how)
            return
        if how.time_zone:
            with refusals_as_errors():
                named_zone(how.time_zone)
        with (
            opened_report(options["report"], package) as file,
            opened_package(package) as source,
        ):
            call.say(
                heading(
                    source.stream,
                    Path(source.name).name,
                    user=user,
                    time_zone=how.time_zone,
                    dry_run=how.dry_run,
                )
            )
            run = partial(services.import_package, source.stream, how, user=user)
            call.end(call.carry_out(run, file, source.name))


def _carry_out_plan(
    call: RunCall, options: dict[str, Any], user: Any, how: ImportOptions
) -> None:
    """Import what a dry run has planned."""
    with opened_report(options["report"], "") as file:
        with refusals_as_errors():
            run_id = services.identifier_of(options["plan"])
            planned = services.planned_run(run_id, how)
        call.say(plan_heading(planned, user))
        run = partial(services.import_plan, run_id, how, user=user)
        call.end(call.carry_out(run, file, planned.package))


def _package(options: dict[str, Any]) -> str | None:
    """Return the package to import, None for a plan; refuse what doesn't go together."""
    packages, plan = options["package"], options["plan"]
    if isinstance(packages, str):  # from a call in Python
        packages = [packages]
    packages = list(packages or ())
    if len(packages) > 1:
        reason = "Import one package at a time."
        if packages.count(STANDARD_INPUT) > 1:
            reason = "Standard input can be read only once; write - once."
        raise wrong_call(reason)
    if bool(packages) == (plan is not None):
        raise wrong_call("Name a package, or a dry run with --plan, and not both.")
    if plan is not None and (options["dry_run"] or options["time_zone"]):
        raise wrong_call(
            "A plan has its own dates; leave out --dry-run and --time-zone."
        )
    return packages[0] if packages else None
