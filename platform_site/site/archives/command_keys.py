"""The keys for commands that open archives: from the settings, a file or a terminal."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from dataclasses import replace
from getpass import getpass
from pathlib import Path
from typing import Any

from platform_site.settings.configuration import Configuration
from platform_site.site.archives.age_keys import identity_bytes
from platform_site.site.archives.backup_settings import keys_of
from platform_site.site.archives.errors import ArchiveError
from platform_site.site.archives.keys import Keys


def add_key_arguments(parser: ArgumentParser) -> None:
    """Add the arguments for keys; never a passphrase itself, which everybody on the
    machine could read."""
    parser.add_argument(
        "--passphrase-stdin",
        action="store_true",
        help="read the passphrase from standard input, or ask for it on a terminal",
    )
    parser.add_argument(
        "--identity", type=Path, help="file with the private key (AGE-SECRET-KEY-1…)"
    )


def given_keys(configuration: Configuration, options: dict[str, Any]) -> Keys:
    """Return the keys of the settings, or those that were given instead."""
    keys = keys_of(configuration)
    if options["passphrase_stdin"]:
        is_terminal = sys.stdin.isatty()
        line = getpass("Passphrase: ") if is_terminal else sys.stdin.readline()
        keys = replace(keys, passphrase=line.rstrip("\r\n"))
    if options["identity"] is not None:
        keys = replace(keys, identity=_identity_in(options["identity"]))
    return keys


def _identity_in(path: Path) -> str:
    """Return the private key in a file such as age-keygen writes."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ArchiveError(f"The identity {path} can't be read: {error}.") from None
    found = [line.strip() for line in lines if line.strip() and line[0] != "#"]
    try:
        identity_bytes(found[0])
    except (IndexError, ValueError):
        raise ArchiveError(
            f"The file {path} has no private key such as AGE-SECRET-KEY-1…."
        ) from None
    return found[0]
