"""The file to which a command writes the whole report of its run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from importer.management.importing_user import reason_of
from importer.management.output_options import wrong_call
from importer.management.report_output import write_json
from importer.package.shapes import Outcome
from importer.services import Report

STANDARD_OUTPUT = "-"


class ReportFile:
    """A file that is opened before the run, so that a wrong name is noticed in time.

    Its old content is kept until there is a new report.
    """

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file = file
        self._path = path

    def write(self, report: Report) -> str:
        """Write the report; return why that isn't possible, an empty text if it was."""
        try:
            if self._path.is_file():  # not a pipe or device
                self._file.truncate(0)
            write_json(report, tuple(Outcome), self._file)
            self._file.flush()
        except OSError as error:
            return reason_of(error)
        return ""


@contextmanager
def opened_report(name: str | None, package: str) -> Iterator[ReportFile | None]:
    """Open the report file, if one is asked for."""
    if not name or name == STANDARD_OUTPUT:
        yield None
        return
    path, source = Path(name), Path(package)
    try:
        if path.exists() and source.exists() and path.samefile(source):
            raise wrong_call(
                "The report would overwrite the package; name it otherwise."
            )
        file = path.open("a", encoding="utf-8")
    except OSError as error:
        raise wrong_call(f"{name} cannot be written: {reason_of(error)}.") from None
    try:
        yield ReportFile(file, path)
    finally:
        with suppress(OSError):  # reported already, when the report was written
            file.close()
