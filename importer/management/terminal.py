"""Safe terminal output of commands: quoted data can't control the terminal, and a reader
that has left (``| head``) is no error."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, OutputWrapper

from importer.package.printable_text import printable


class VisibleOutput(OutputWrapper):
    """An output stream that escapes control and direction characters.

    Names of rows, files, users and packages may contain anything. Printed JSON keeps
    its meaning. Once the reader of the stream has left, it discards everything.
    """

    _discards = False

    def write(  # type: ignore[override]  # as Django's own, which the stubs know half
        self,
        msg: str = "",
        style_func: Callable[[str], str] | None = None,
        ending: str | None = None,
    ) -> None:
        """Write one or more lines."""
        if self._discards:
            return
        try:
            super().write(
                "\n".join(map(printable, msg.split("\n"))), style_func, ending
            )
        except BrokenPipeError:
            self._discard()

    def flush(self) -> None:
        """Write what is buffered."""
        if self._discards:
            return
        try:
            super().flush()
        except BrokenPipeError:
            self._discard()

    def _discard(self) -> None:
        self._discards = True
        discard(self._out)


class VisibleCommand(BaseCommand):
    """A command that prints data from other people."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Wrap Django's output streams, which it creates for each call."""
        if isinstance(value, OutputWrapper) and not isinstance(value, VisibleOutput):
            out: Any = value._out
            value = VisibleOutput(out)
        super().__setattr__(name, value)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Execute the command and write all of its output while errors are handled."""
        try:
            return super().execute(*args, **options)
        finally:
            self.stdout.flush()


def discard(stream: Any) -> None:
    """Let a stream lead nowhere, since the interpreter flushes it again at its end."""
    with suppress(OSError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
