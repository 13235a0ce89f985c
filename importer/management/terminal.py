"""Safe terminal output of commands: quoted data can't control the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, OutputWrapper

from importer.package.printable_text import printable


class VisibleOutput(OutputWrapper):
    """An output stream that escapes control and direction characters.

    Names of rows, files, users and packages may contain anything. Printed JSON keeps
    its meaning.
    """

    def write(  # type: ignore[override]  # as Django's own, which the stubs know half
        self,
        msg: str = "",
        style_func: Callable[[str], str] | None = None,
        ending: str | None = None,
    ) -> None:
        """Write one or more lines."""
        super().write("\n".join(map(printable, msg.split("\n"))), style_func, ending)


class VisibleCommand(BaseCommand):
    """A command that prints data from other people."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Wrap Django's output streams, which it creates for each call."""
        if isinstance(value, OutputWrapper) and not isinstance(value, VisibleOutput):
            out: Any = value._out
            value = VisibleOutput(out)
        super().__setattr__(name, value)
