"""This server as one of several nodes."""

from __future__ import annotations

from platform_site.nodes.dead_nodes import DeadNodeSearch
from platform_site.nodes.scheduler import SharedScheduler
from platform_site.nodes.worker import Workers
from platform_site.scheduling.scheduler import start_scheduler


class Node:
    """The parts of a node that run beside its server."""

    def __init__(self) -> None:
        self._workers = Workers()
        self._search = DeadNodeSearch()

    def start(self) -> None:
        """Begin to work with the other nodes."""
        self._workers.start()
        self._search.start()
        start_scheduler(SharedScheduler())

    def stop(self, *, wait_seconds: float = 0) -> None:
        """Begin nothing more, and wait for work in progress; may be called
        repeatedly."""
        self._search.stop()
        self._workers.stop(wait_seconds=wait_seconds)
