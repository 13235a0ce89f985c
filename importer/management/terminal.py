"""Commands whose output shows what it quotes and lets none of it steer the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, OutputWrapper

from importer.package.printable_text import printable


class VisibleOutput(OutputWrapper):
    """An output of a command, with control and direction characters as escapes.

    Names of rows, files, users and packages come from anybody. JSON that is printed
    stays the same JSON.
    """

    def write(  # type: ignore[override]  # as Django's own, which the stubs know half
        self,
        msg: str = "",
        style_func: Callable[[str], str] | None = None,
        ending: str | None = None,
    ) -> None:
        """Write a text of one or more lines."""
        super().write("\n".join(map(printable, msg.split("\n"))), style_func, ending)


class VisibleCommand(BaseCommand):
    """A command that prints what other people have written."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Take Django's own outputs, which it makes anew for each call, as visible."""
        if isinstance(value, OutputWrapper) and not isinstance(value, VisibleOutput):
            out: Any = value._out
            value = VisibleOutput(out)
        super().__setattr__(name, value)
