"""Why a processor was not executed, or not to its end: sentences for the page, the
problem of the API and the history of a job."""

from __future__ import annotations

from importer import Problem, Refusal
from importer.services import ImportInProgress

__all__ = ["ExecutionFailed", "InvalidStateError", "ProcessorBusy", "UnknownProcessor"]


class _Sentence(Refusal):
    def __init__(self, *messages: str, given: str = "") -> None:
        super().__init__([Problem(given, str(message)) for message in messages])


class InvalidStateError(_Sentence):
    """Something isn't in order: no file, a wrong file, no setting (OPEN-74).

    There may be several sentences; `given` is the wire name of the input they are about.
    """


class UnknownProcessor(_Sentence):
    """The error of a name that no processor has."""


class ProcessorBusy(_Sentence):
    """An import runs already, and only one may (IMP-016): ``running`` says which."""

    def __init__(self, running: ImportInProgress) -> None:
        super().__init__(str(running))
        self.running = running


class ExecutionFailed(_Sentence):
    """An unexpected failure of a processor; the server log has the reason."""
