"""What is sent out of the installation, such as e-mail: apps register how to find out
whether something is due, and how to send it. The server asks every few seconds, and
sends in a thread of its own or, with several nodes, in a worker.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.module_loading import import_string

logger = logging.getLogger("platform.senders")


@dataclass(frozen=True, slots=True)
class Sender:
    """A kind of messages; each is sent by one process at a time.

    ``due`` and ``sending`` name functions of the current time by their modules: commands
    that send nothing don't load them.
    """

    name: str
    due: str
    sending: str

    def is_due(self, now: datetime.datetime) -> bool:
        """Return whether there is something to send."""
        return bool(import_string(self.due)(now))

    def send(self, now: datetime.datetime) -> None:
        """Send what is due."""
        import_string(self.sending)(now)


_senders: Final[dict[str, Sender]] = {}


def register_sender(sender: Sender) -> None:
    """Register a sender; one with the same name takes its place."""
    _senders[sender.name] = sender


def due_senders(now: datetime.datetime) -> Iterator[Sender]:
    """Yield the senders that have something to send."""
    for sender in _senders.values():
        try:
            is_due = sender.is_due(now)
        except Exception:
            logger.exception("It can't be found out what to send: %s", sender.name)
        else:
            if is_due:
                yield sender


def send(name: str, now: datetime.datetime) -> None:
    """Send what is due of one kind, nothing if its app isn't installed any more."""
    sender = _senders.get(name)
    if sender is not None:
        sender.send(now)
