"""A mail server on loopback that keeps what it gets, or refuses it."""

from __future__ import annotations

import socketserver
import threading
from contextlib import contextmanager


class _Session(socketserver.StreamRequestHandler):
    """One connection, as RFC 5321 has it, as far as a client needs it."""

    def handle(self):
        self._say("220 loopback")
        while line := self.rfile.readline().decode().strip():
            verb = line[:4].upper()
            if verb == "EHLO":
                self._say("250 loopback")
            elif verb == "RCPT" and self.server.refusal:
                self._say(self.server.refusal)
            elif verb == "DATA":
                self._say("354 go on")
                self.server.messages.append(self._data())
                self._say("250 kept")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _say(self, line):
        self.wfile.write(f"{line}\r\n".encode())

    def _data(self):
        lines = iter(self.rfile.readline, b".\r\n")
        return b"".join(lines).decode().replace("\r\n", "\n")


class MailServer(socketserver.ThreadingTCPServer):
    """The server; ``refusal`` is what it says to every recipient."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Session)
        self.messages = []
        self.refusal = ""


@contextmanager
def running():
    """Run a mail server inside the block."""
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
