"""The base of admin pages whose rows are written by services."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest

from platform_site.changes.history import HistoryMixin


class ServiceAdmin(HistoryMixin):
    """Admin pages that write each row with a service and one change event."""

    def write(self, request: HttpRequest, row: Any, form: Any, *, change: bool) -> None:
        """Create or change a row; each page calls its own services."""
        raise NotImplementedError(f"{type(self).__name__} writes nothing.")

    def save_model(
        self,
        request: HttpRequest,
        obj: Any,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Save the row with everything in the form."""
        self.write(request, obj, form, change=change)

    def save_related(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: related values were written with the row."""

    def delete_queryset(self, request: HttpRequest, queryset: Iterable[Any]) -> None:
        """Delete the selected rows one by one, each with its change event."""
        for row in queryset:
            self.delete_model(request, row)

    def write_each(
        self, request: HttpRequest, rows: Iterable[Any], write: Callable[[Any], object]
    ) -> int:
        """Write each row, show refusals, and return the number written."""
        done = 0
        for row in rows:
            try:
                write(row)
            except ValidationError as error:
                self.message_user(request, " ".join(error.messages), messages.ERROR)
            except PermissionDenied as refusal:
                self.message_user(request, str(refusal), messages.ERROR)
            else:
                done += 1
        return done

    def say_done(self, request: HttpRequest, text: str, done: int) -> None:
        """Show the number of rows written, if there are any."""
        if done:
            self.message_user(request, text % done, messages.SUCCESS)
