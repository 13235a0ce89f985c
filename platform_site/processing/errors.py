"""The refusals and failures of processors, as sentences for pages, API and job
history."""

from __future__ import annotations

from importer import Problem, Refusal
from importer.services import ImportInProgress

__all__ = ["ExecutionFailed", "InvalidStateError", "ProcessorBusy", "UnknownProcessor"]


class _Sentence(Refusal):
    def __init__(self, *messages: str, given: str = "") -> None:
        super().__init__([Problem(given, str(message)) for message in messages])


class InvalidStateError(_Sentence):
    """A missing or wrong file or setting (OPEN-74).

    There may be several sentences; `given` is the wire name of the input they concern.
    """


class UnknownProcessor(_Sentence):
    """There is no processor with this name."""


class ProcessorBusy(_Sentence):
    """Another import is running, and only one may (IMP-016); ``running`` identifies
    it."""

    def __init__(self, running: ImportInProgress) -> None:
        super().__init__(str(running))
        self.running = running


class ExecutionFailed(_Sentence):
    """An unexpected error in a processor; the server log has the reason."""
