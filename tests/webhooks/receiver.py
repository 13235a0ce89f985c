"""A receiver of webhooks on loopback, over https: it keeps what it gets, and answers as it
is told."""

from __future__ import annotations

import json
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from standardwebhooks.webhooks import (
    Webhook as Verifier,
    WebhookVerificationError,
)


class Message(NamedTuple):
    """A message as it came."""

    headers: dict
    body: bytes

    @property
    def id(self):
        return self.headers["webhook-id"]

    @property
    def content(self):
        return json.loads(self.body)

    def verify(self, secret):
        """Raise an error of the library if the signature is wrong."""
        return Verifier(secret).verify(self.body, self.headers)


class Receiver:
    """What a receiver got, and the statuses of its next answers; 200 after them."""

    def __init__(self):
        self.messages = []
        self.answers = []
        self.port = 0
        # What it says to a refused message, and where it redirects to.
        self.content, self.elsewhere = b"busy", "/"
        self.before_answering = lambda: None
        # With a secret each message is verified when it comes: later it is too old.
        self.secret = ""
        self.forged = []

    @property
    def url(self):
        return f"https://localhost:{self.port}/events?from=platform"

    @property
    def ids(self):
        return [message.id for message in self.messages]

    @property
    def changes(self):
        """Return the numbers of the changes it was told of."""
        return [int(key.split("-")[1]) for key in self.ids]

    def take(self, message):
        self.messages.append(message)
        if self.secret:
            try:
                message.verify(self.secret)
            except WebhookVerificationError:
                self.forged.append(message)
        self.before_answering()
        return self.answers.pop(0) if self.answers else 200


@contextmanager
def receiving(certificate, port=0):
    """Run a receiver."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = receiver.take(Message(headers, body))
            self.send_response(status)
            content = receiver.content if status >= 400 else b"okay"
            self.send_header("Content-Length", str(len(content)))
            if status // 100 == 3:
                self.send_header("Location", receiver.elsewhere)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
