"""A local HTTPS server with its own certificate as source of packages. It records the
requests and can misbehave."""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
import ssl
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

TOKEN = "the-token"


def configure(settings, url, token=TOKEN):
    settings.PLATFORM_IMPORT_SOURCES = {"prices": {"URL": url, "TOKEN": token}}


def write_certificate(folder):
    """Write a certificate for localhost with its key; return the path of both."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names = [
        x509.DNSName("localhost"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


class Source:
    """A server of `content` with an ETag, which keeps the headers of each request."""

    def __init__(self):
        self.content = b""
        self.asked = []
        # Paths that answer in ways of their own.
        self.pages = {}
        self.port = 0
        # Whoever waits for it waits until the test is over.
        self.over = threading.Event()

    @property
    def etag(self):
        return f'"{hashlib.sha256(self.content).hexdigest()[:16]}"'

    def url(self, path="/package.json"):
        return f"https://localhost:{self.port}{path}"

    def answer(self, handler):
        self.asked.append((handler.path, handler.headers))
        page = self.pages.get(handler.path)
        if page is not None:
            page(handler)
        elif handler.headers.get("If-None-Match") == self.etag:
            send(handler, 304)
        else:
            send(handler, 200, self.content, ETag=self.etag)


def send(handler, status, body=b"", **headers):
    """Send a complete response."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    if status != 304:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def redirect(to, status=302):
    return lambda handler: send(handler, status, Location=to)


def endless(handler):
    """Send bytes until the client disconnects."""
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(b" " * 65536)


@contextmanager
def serving(certificate):
    """Serve a source on a free loopback port."""
    source = Source()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with suppress(OSError):
                source.answer(self)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *args: None
    source.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield source
    finally:
        source.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
