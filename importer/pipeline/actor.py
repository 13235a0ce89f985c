"""The user whose rights a run uses, who may be deleted during the run."""

from __future__ import annotations

from typing import Any

from importer.package.shapes import BY_DATABASE, ObjectError
from importer.pipeline.ports import RefreshUser


class Actor:
    """A user who may lose rights, or be deleted, during the run."""

    def __init__(self, user: Any, refresh: RefreshUser) -> None:
        self.user = user
        self._refresh = refresh
        self._gone: ObjectError | None = None

    def refresh(self) -> None:
        """Reload the user with current rights; a deleted user stays as last loaded."""
        try:
            self.user = self._refresh(self.user)
        except ObjectError as refusal:
            self._gone = refusal

    def require(self) -> None:
        """Raise the refusal if the user has been deleted."""
        if self._gone is not None:
            raise self._gone

    def cause(self, refusal: ObjectError) -> ObjectError:
        """Return that the user was deleted if a refusal by the database results from
        it."""
        if any(problem.code == BY_DATABASE for problem in refusal.problems):
            self.refresh()
        return self._gone or refusal
