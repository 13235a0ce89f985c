"""A small server that speaks as much of S3 as an upload needs, and checks signatures as
Amazon describes them (version 4)."""

from __future__ import annotations

import hashlib
import hmac
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

ACCESS_KEY, SECRET_KEY, REGION = "an-access-key", "a-secret-key", "eu-test-1"


class S3Server(ThreadingHTTPServer):
    """A server with one bucket; `objects` are its content by key."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects = {}
        self.parts = {}
        self.refusing = False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def s3_server():
    """Serve while the block lasts."""
    server = S3Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body, query = self._body(), self._query()
        if not self._is_allowed(body):
            return
        if "partNumber" in query:
            part = int(query["partNumber"][0])
            self.server.parts.setdefault(query["uploadId"][0], {})[part] = body
        else:
            self.server.objects[self._key()] = body
        self._answer(200, ETag=f'"{hashlib.md5(body).hexdigest()}"')

    def do_POST(self):
        body, query = self._body(), self._query()
        if not self._is_allowed(body):
            return
        if "uploads" in query:
            self._answer(200, _xml("InitiateMultipartUploadResult", UploadId="up-1"))
            return
        parts = self.server.parts.pop(query["uploadId"][0])
        self.server.objects[self._key()] = b"".join(parts[n] for n in sorted(parts))
        self._answer(200, _xml("CompleteMultipartUploadResult", ETag='"whole"'))

    def do_HEAD(self):
        if not self._is_allowed(b""):
            return
        content = self.server.objects.get(self._key())
        if content is None:
            self._answer(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", '"x"')
        self.send_header("Last-Modified", "Sun, 01 Nov 2026 12:00:00 GMT")
        self.end_headers()

    def log_message(self, *_arguments):
        """Say nothing."""

    def _body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _query(self):
        return parse_qs(urlsplit(self.path).query, keep_blank_values=True)

    def _key(self):
        return urlsplit(self.path).path.lstrip("/")

    def _is_allowed(self, body):
        if self.server.refusing:
            self._answer(403, _xml("Error", Code="AccessDenied"))
            return False
        if self._is_signed(body):
            return True
        self._answer(403, _xml("Error", Code="SignatureDoesNotMatch"))
        return False

    def _is_signed(self, body):
        scheme, _, given = self.headers.get("Authorization", "").partition(" ")
        fields = dict(part.strip().split("=", 1) for part in given.split(",") if part)
        if scheme != "AWS4-HMAC-SHA256":
            return False
        key, day, region, service, end = fields["Credential"].split("/")
        digest = self.headers["x-amz-content-sha256"]
        if digest not in (hashlib.sha256(body).hexdigest(), "UNSIGNED-PAYLOAD"):
            return False
        names = fields["SignedHeaders"].split(";")
        url = urlsplit(self.path)
        pairs = sorted(
            (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
            for name, values in self._query().items()
            for value in values
        )
        request = "\n".join(
            (
                self.command,
                url.path,
                "&".join("=".join(pair) for pair in pairs),
                *(f"{name}:{self.headers[name].strip()}" for name in names),
                "",
                ";".join(names),
                digest,
            )
        )
        scope = f"{day}/{region}/{service}/{end}"
        text = "\n".join(
            (
                scheme,
                self.headers["x-amz-date"],
                scope,
                hashlib.sha256(request.encode()).hexdigest(),
            )
        )
        secret = f"AWS4{SECRET_KEY}".encode()
        for part in (day, region, service, end, text):
            secret = hmac.digest(secret, part.encode(), "sha256")
        return (key, region) == (ACCESS_KEY, REGION) and hmac.compare_digest(
            fields["Signature"], secret.hex()
        )

    def _answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _xml(name, **fields):
    inside = "".join(f"<{key}>{value}</{key}>" for key, value in fields.items())
    return f'<?xml version="1.0"?><{name}>{inside}</{name}>'.encode()
