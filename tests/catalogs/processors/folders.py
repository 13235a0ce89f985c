"""A watched folder for tests, and what an execution of its source says."""

from __future__ import annotations

import os

from django.utils import timezone

from platform_site.processing import services
from tests.catalogs.processors.test_table_sources import LIST
from tests.catalogs.rows import boss

CONTENT = LIST.encode("cp1252")
OTHER = CONTENT.replace(b"1,50", b"1,60")


class Folder:
    """The folder of the source, whose files are written and looked at."""

    def __init__(self, path):
        self.path = path

    def put(self, name, content=CONTENT, *, age=600):
        """Write a file that was changed so many seconds ago."""
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / name
        file.write_bytes(content)
        then = timezone.now().timestamp() - age
        os.utime(file, (then, then))
        return file

    def names(self, where="."):
        """Return the files of a folder, without the time in their names."""
        files = (file for file in (self.path / where).iterdir() if file.is_file())
        return sorted(file.name.rpartition("Z-")[2] for file in files)

    def read(self, where, ending):
        (file,) = (f for f in (self.path / where).iterdir() if f.name.endswith(ending))
        return file.read_bytes()


def run(**data):
    return services.execute("watched", data, user=boss()).result


def summary(result):
    return [(f["file"], f["inserted"], f["failed"]) for f in result["files"]]
