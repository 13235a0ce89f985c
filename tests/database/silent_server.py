"""A way to the local PostgreSQL server that falls silent when a test wants it to: what is
sent is accepted and goes nowhere, as behind a firewall that drops packets."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading

_PIECE_BYTES = 1 << 16
SERVER = ("127.0.0.1", 5432)


class SilentServer:
    """A port on this machine that leads to the server, or to nowhere."""

    def __init__(self):
        self._silent = threading.Event()
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ways = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    @property
    def port(self):
        return self._listener.getsockname()[1]

    def fall_silent(self):
        """Swallow from now on whatever is sent on connections open and new."""
        self._silent.set()

    def speak(self):
        """Lead to the server again; connections swallowed from are lost."""
        for end in list(self._ways):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._silent.clear()

    def close(self):
        self._over.set()
        self._thread.join(60)
        for end in (self._listener, *self._ways):
            end.close()

    def _carry(self):
        while not self._over.is_set():
            for key, _ in self._selector.select(timeout=0.05):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj in self._ways:
                    self._pass_on(key.fileobj)

    def _accept(self):
        client, _ = self._listener.accept()
        server = socket.create_connection(SERVER)
        self._ways |= {client: server, server: client}
        for end in (client, server):
            self._selector.register(end, selectors.EVENT_READ)

    def _pass_on(self, end):
        with contextlib.suppress(OSError):
            piece = end.recv(_PIECE_BYTES)
            if piece and self._silent.is_set():
                return
            if piece:
                self._ways[end].sendall(piece)
                return
        self._lose(end)

    def _lose(self, end):
        other = self._ways.pop(end)
        del self._ways[other]
        for one in (end, other):
            self._selector.unregister(one)
            one.close()
