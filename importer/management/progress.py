"""The progress of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TextIO

from importer.management.terminal import discard

_BETWEEN_LINES = 5.0


class ProgressLine:
    """The progress of a run, shown on a stream."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        self._stream = stream
        self._quiet = quiet
        self._terminal = stream.isatty()
        self._stage = ""
        self._bar: Any = None
        # A short run only shows how it ended.
        self._shown = time.monotonic()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Show the progress of a stage; ``total`` is None while it is unknown."""
        if self._quiet:
            return
        try:
            self._show(stage, done, total)
        except OSError:  # the terminal is closed, or the reader of a pipe has left
            self._quiet = True
            discard(self._stream)

    def _show(self, stage: str, done: int, total: int | None) -> None:
        if self._terminal:
            self._draw(stage, done, total)
            return
        now = time.monotonic()
        ended = total is not None and 0 < total <= done
        if ended or now - self._shown >= _BETWEEN_LINES:
            self._shown = now
            of = f" of {total:,}" if total is not None and not ended else ""
            self._stream.write(f"{stage}  {done:,}{of} objects\n")
            self._stream.flush()

    def _draw(self, stage: str, done: int, total: int | None) -> None:
        # Every command of the site imports this module, and few draw a bar.
        from tqdm import tqdm  # noqa: PLC0415 - as said above

        if stage != self._stage:
            self._close()
            self._stage = stage
            self._bar = tqdm(
                total=total, desc=f"{stage:<10}", unit=" objects", file=self._stream
            )
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._close()
