"""What the author of a data processor writes: a class with an input, a result and
`execute`. Everything round it is `platform_site.processing.services`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils.functional import Promise

from platform_site.processing.values import Values


class DataProcessor:
    """A piece of work that users start: from its page, by the API, or as a job.

    The name of the class is the processor's name everywhere.
    """

    title: ClassVar[str | Promise] = ""
    description: ClassVar[str | Promise] = ""

    # True where it calls the import engine: a package cannot execute it, because only
    # one import runs at a time.
    imports: ClassVar[bool] = False

    # Classes of their own in the processor; as they are, nothing is asked or told.
    Input: ClassVar[type[Values]] = Values
    Result: ClassVar[type[Values]] = Values

    def new(self) -> dict[str, Any]:
        """Return what the input begins with; a job runs with nothing else (IMP-296)."""
        fields = self.Input().fields.values()
        return {str(field.source): field.get_default() for field in fields}

    def validate(self, data: Mapping[str, Any]) -> None:
        """Refuse values that do not go together, by a `ValidationError` of the wire.

        Files are not uploaded yet (IMP-168).
        """

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Do the work as `user` and return the result by the names of `Result`."""
        raise NotImplementedError(f"{type(self).__name__} does nothing yet.")
