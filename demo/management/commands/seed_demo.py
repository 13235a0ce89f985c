"""`manage.py seed_demo`: makes this a demo installation, once."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError

from demo.seeding import DemoRefused, get_installation, seed
from importer.commands import (
    BUSY,
    ProgressLine,
    VisibleCommand,
    print_summary,
    stopping,
)
from importer.services import EngineStopped, ImportInProgress, LockUnusable, stop_runs


class Command(VisibleCommand):
    """The command that seeds demo data and users in the foreground (OPEN-67)."""

    help = "Loads demo data and demo users, unless they have been loaded before."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the package."""
        parser.epilog = (
            "exit codes: 0 the demo data is in; 1 the package had errors, which are "
            "printed, and a repeat continues; 2 the demo data is refused; 75 another "
            "import is in progress"
        )
        parser.add_argument(
            "package",
            nargs="?",
            help="identifier of an embedded package (by default the first with "
            "demo data); if it is given, removed demo data is loaded again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Seed, and exit with the codes of `import_package`."""
        began = time.monotonic()
        quiet = options["verbosity"] == 0
        try:
            with ProgressLine(sys.stderr, quiet=quiet) as progress, stopping(stop_runs):
                report = seed(options["package"], progress=progress)
        except ImportInProgress as busy:
            raise CommandError(str(busy), returncode=BUSY) from None
        except (DemoRefused, EngineStopped, LockUnusable, OSError) as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        except DatabaseError as error:
            reason = str(error).strip().split("\n")[0]
            message = f"The database is not ready ({reason}); run startup first."
            raise CommandError(message, returncode=2) from None
        if report is None:
            self.stdout.write(_nothing_to_do())
            return
        seconds = time.monotonic() - began
        print_summary(report, self.stdout, report_file=None, seconds=seconds)
        if report.has_errors or report.status != "Completed":
            sys.exit(1)


def _nothing_to_do() -> str:
    installation = get_installation()
    if installation is None:
        return (
            "The demo data was removed from this installation; name its package to "
            "bring it back."
        )
    return (
        f"This is a demo installation already, since "
        f"{installation.seeded_at:%Y-%m-%d}: {installation.package}."
    )
