"""The errors of tables: of a whole file, and of one cell."""

from __future__ import annotations

from importer.package.translation import gettext as _


class TableError(Exception):
    """The refusal of a whole table, as one sentence with the line, if there is one."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        self.reason = reason
        self.line = line
        if line is not None:
            place = _("line %(line)s: %(reason)s")
            reason = place % {"line": line, "reason": reason}
        super().__init__(reason)


class CellError(Exception):
    """The refusal of one cell; the object of its row fails alone."""
