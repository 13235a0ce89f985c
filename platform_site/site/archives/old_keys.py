"""Where signing keys that were thrown away still are: in archives, and beside copies of the
database that a restore replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from platform_site.settings.configuration import Configuration
from platform_site.site.archives.restoring import kept_keys
from platform_site.site.host.archive_folder import archives
from platform_site.site.host.backups import archives_folder

_MOST_NAMED: Final = 5


def where_old_keys_are(configuration: Configuration) -> Iterator[str]:
    """Yield where keys still are after all but the present one were thrown away, and what
    to do about it.

    Every archive has the key of its time, and an encrypted one can't be asked.
    """
    folder = archives_folder(configuration)
    if found := archives(folder):
        names = ", ".join(archive.name for archive in reversed(found[-_MOST_NAMED:]))
        more = ", …" if len(found) > _MOST_NAMED else ""
        number = "1 archive" if len(found) == 1 else f"{len(found)} archives"
        yield (
            f"An old key is still in {number} in {folder}, the oldest of "
            f"{found[-1].taken:%Y-%m-%d}, and in copies elsewhere: {names}{more}. If you "
            "restore one, its key counts again; then run rotate_key --forget-old. Make a "
            "new archive (backup --all), and delete the old ones as soon as you can do "
            "without them."
        )
    if copies := kept_keys(configuration):
        yield (
            f"A restore kept earlier keys; delete them: {', '.join(map(str, copies))}"
        )
