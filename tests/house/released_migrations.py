"""Keeps the list of released migrations, which a release adds its new ones to:
`make released-migrations`."""

from __future__ import annotations

import hashlib
import os
import sys
from importlib import import_module
from pathlib import Path

import django
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from platform_site.settings.apps import added_labels
from platform_site.settings.choice import choose
from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.host.migration_history import Name

LIST = Path(__file__).with_name("released_migrations.txt")
# In the place of a checksum: a library's migration is known by its name alone.
LIBRARYS = "-"


def listed() -> dict[Name, str]:
    """Return the released migrations, each with the checksum of its file."""
    lines = (line.split() for line in LIST.read_text(encoding="utf-8").splitlines())
    return {(app, name): checksum for app, name, checksum in lines}


def present() -> dict[Name, str]:
    """Return the migrations that this version has, as the list would have them.

    Apps that were added to the product release their own.
    """
    built = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    added = added_labels()
    return {
        name: _checksum(migration)
        for name, migration in built.items()
        if name[0] not in added
    }


def _checksum(migration: Migration) -> str:
    module = type(migration).__module__
    if not (APPLICATION_FOLDER / module.partition(".")[0]).is_dir():
        return LIBRARYS
    path = Path(str(import_module(module).__file__))
    # A checkout may have the line ends of its system.
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def main() -> None:
    """Add what is new; what was released before stays as it was written down."""
    both = present() | listed()
    lines = (f"{app} {name} {both[app, name]}\n" for app, name in sorted(both))
    LIST.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{len(both)} migrations are released.\n")


if __name__ == "__main__":
    choose(os.environ)
    django.setup()
    main()
