#!/usr/bin/env python
"""The command line of the site: passes commands to Django and prints refusals as a
single sentence."""

from __future__ import annotations

import errno
import io
import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from importer import printable
from platform_site.settings.apps import set_up
from platform_site.settings.choice import choose
from platform_site.settings.configuration import active
from platform_site.settings.data_folder import keep_private
from platform_site.settings.errors import SettingsError, StartRefusedError
from platform_site.site.host.command_rules import (
    refuse_in_published_folder,
    writes_source,
)
from platform_site.site.host.exit_codes import exit_code


def main() -> None:
    """Run the command; a refusal ends it with a sentence and its exit code."""
    _prepare_output()
    if not writes_source(sys.argv):
        keep_private()
    try:
        refuse_in_published_folder(sys.argv)
        choose(os.environ, sys.argv)
        set_up()
        _require_installation()
        execute_from_command_line(sys.argv)
    except (SettingsError, StartRefusedError, ImproperlyConfigured) as refusal:
        sys.stderr.write(f"{printable(str(refusal))}\n")
        sys.exit(exit_code(refusal))
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        # The output is closed, or the disk is full.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stderr.write(f"The output ends here: {error.strerror}.\n")
        sys.exit(1)


def _require_installation() -> None:
    # It imports models, which Django's settings must precede.
    from platform_site.site.host.installation import (  # noqa: PLC0415 - as said above
        require_installation,
    )

    require_installation(sys.argv, active())


def _prepare_output() -> None:
    """Escape characters that the terminal can't show, and work without a terminal."""
    if sys.stdout is None:
        sys.stdout = io.StringIO()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
