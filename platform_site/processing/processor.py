"""The base class of data processors: a class with an input, a result and `execute`. The
execution is in `platform_site.processing.services`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.utils.functional import Promise

from platform_site.processing.values import Values


class DataProcessor:
    """Work that users start from its page, over the API, or as a job.

    The name of the class is the name of the processor.
    """

    title: ClassVar[str | Promise] = ""
    description: ClassVar[str | Promise] = ""

    # True if it runs the import engine. A package can't execute such a processor,
    # because only one import runs at a time.
    imports: ClassVar[bool] = False

    # Processors override them; by default there is no input and no result.
    Input: ClassVar[type[Values]] = Values
    Result: ClassVar[type[Values]] = Values

    @classmethod
    def needs(cls) -> Sequence[str]:
        """Return the rights on rows that an execution needs, as ``app.codename``.

        They are shown before a job is saved whose account lacks them; the services check
        rights in any case.
        """
        return ()

    def new(self) -> dict[str, Any]:
        """Return the default input; jobs without input use it (IMP-296)."""
        fields = self.Input().fields.values()
        return {str(field.source): field.get_default() for field in fields}

    def validate(self, data: Mapping[str, Any]) -> None:
        """Raise a wire `ValidationError` for values that don't fit together.

        Files are not uploaded yet (IMP-168).
        """

    def dry_run(self, data: Mapping[str, Any], *, user: Any) -> str | None:
        """Return what `execute` would do, in a sentence; raise what it would refuse.

        Dry runs of packages call it, so it only reads. None means that only the
        execution can tell.
        """
        return None

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Do the work as `user` and return the values of `Result`."""
        raise NotImplementedError(f"{type(self).__name__} does nothing yet.")
