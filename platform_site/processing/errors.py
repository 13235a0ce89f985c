"""Why a processor was not executed, or not to its end: sentences for the page, the
problem of the API and the history of a job."""

from __future__ import annotations

from importer.package.shapes import Problem, Refusal
from importer.services import ImportInProgress

__all__ = ["Busy", "ExecutionFailed", "InvalidStateError", "UnknownProcessor"]


class _Sentence(Refusal):
    def __init__(self, *messages: str, given: str = "") -> None:
        super().__init__([Problem(given, str(message)) for message in messages])


class InvalidStateError(_Sentence):
    """Something isn't in order: no file, a wrong file, no setting (OPEN-74).

    There may be several sentences; `given` is the wire name of the input they are about.
    """


class UnknownProcessor(_Sentence):
    """Say that no processor has a name."""


class Busy(_Sentence):
    """An import runs already, and only one may (IMP-016): ``running`` says which."""

    def __init__(self, running: ImportInProgress) -> None:
        super().__init__(str(running))
        self.running = running


class ExecutionFailed(_Sentence):
    """Say that a processor broke; the log of the server says where."""
