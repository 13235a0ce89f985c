#!/usr/bin/env python
"""The command line of the site: hands the operator's command to Django, and prints a
refusal as the one sentence it is."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from platform_site.host.refusal import StartRefusedError
from platform_site.settings.choice import choose
from platform_site.settings.errors import SettingsError


def main() -> None:
    """Run the command; a wrong setting or a refused start ends with status 1."""
    try:
        choose(os.environ, sys.argv)
        execute_from_command_line(sys.argv)
    except (SettingsError, StartRefusedError) as refusal:
        sys.stderr.write(f"{refusal}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
