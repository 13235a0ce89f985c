"""A small server that speaks as much of S3 as the platform needs, checks signatures as
Amazon describes them (version 4), and fails in the ways that a test asks for."""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

ACCESS_KEY, SECRET_KEY, REGION = "an-access-key", "a-secret-key", "eu-test-1"


# Of a list, so that a few objects need several pages.
PAGE = 3


class S3Server(ThreadingHTTPServer):
    """A server whose buckets always exist, but for those called missing; `objects` are
    their content by key.

    `refusing` refuses everything, `cut` sends half of what is asked for, `hanging` never
    answers, `full` accepts nothing that is to be stored, `refused_part` is the number of
    a part that is not, and `loses` drops the last byte of what is stored.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects = {}
        self.modified = {}
        self.parts = {}
        self.requests = []
        self.refusing = self.cut = self.full = self.loses = False
        self.refused_part = 0
        self.hanging = threading.Event()
        self.ended = threading.Event()
        self._uploads = 0
        self._lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def settings(self, group, bucket="files", prefix="erp"):
        """Return the variables of a group of settings that lead here."""
        values = {
            "Endpoint": self.url,
            "Bucket": bucket,
            "Prefix": prefix,
            "Region": REGION,
            "AccessKey": ACCESS_KEY,
            "SecretKey": SECRET_KEY,
        }
        names = group.replace(":", "__")
        return {f"{names}__{name}": value for name, value in values.items()}

    def store(self, key, content):
        self.objects[key] = content[:-1] if self.loses else content
        self.modified[key] = datetime.now(UTC)

    def next_upload(self):
        with self._lock:
            self._uploads += 1
            return f"up-{self._uploads}"


@contextmanager
def s3_server():
    """Serve while the block lasts."""
    server = S3Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
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
            if part == self.server.refused_part:
                self._answer(403, _xml("Error", Code="AccessDenied"))
                return
            self.server.parts.setdefault(query["uploadId"][0], {})[part] = body
        else:
            self.server.store(self._key(), body)
        self._answer(200, ETag=f'"{hashlib.md5(body).hexdigest()}"')

    def do_POST(self):
        body, query = self._body(), self._query()
        if not self._is_allowed(body):
            return
        if "uploads" in query:
            begun = self.server.next_upload()
            self._answer(200, _xml("InitiateMultipartUploadResult", UploadId=begun))
            return
        parts = self.server.parts.pop(query["uploadId"][0])
        self.server.store(self._key(), b"".join(parts[n] for n in sorted(parts)))
        self._answer(200, _xml("CompleteMultipartUploadResult", ETag='"whole"'))

    def do_HEAD(self):
        if self._is_allowed(b""):
            self._send(is_wanted=False)

    def do_GET(self):
        if not self._is_allowed(b""):
            return
        if "list-type" in self._query():
            self._answer(200, self._listed())
        else:
            self._send(is_wanted=True)

    def do_DELETE(self):
        if not self._is_allowed(b""):
            return
        upload = self._query().get("uploadId")
        if upload:
            self.server.parts.pop(upload[0], None)
        else:
            self.server.objects.pop(self._key(), None)
        self._answer(204)

    def _send(self, *, is_wanted):
        key = self._key()
        content = self.server.objects.get(key)
        if content is None:
            self._answer(404, _xml("Error", Code="NoSuchKey") if is_wanted else b"")
            return
        whole, begin = len(content), 0
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if asked:
            begin = int(asked[1])
            content = content[begin : int(asked[2]) + 1]
        self.send_response(206 if asked else 200)
        if asked:
            last = begin + len(content) - 1
            self.send_header("Content-Range", f"bytes {begin}-{last}/{whole}")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", '"x"')
        self.send_header("Last-Modified", format_datetime(self._time(key), usegmt=True))
        self.end_headers()
        if not is_wanted:
            return
        self.close_connection = self.server.cut
        try:
            self.wfile.write(content[: len(content) // (1 + self.server.cut)])
        except ConnectionError:
            # The client has read as much as it wants.
            self.close_connection = True

    def _listed(self):
        """Return a page of the objects under a prefix."""
        query = self._query()
        bucket = self._key().partition("/")[0]
        begin = f"{bucket}/{query.get('prefix', [''])[0]}"
        after = query.get("continuation-token", [""])[0]
        keys = sorted(
            k for k in self.server.objects if k.startswith(begin) and k > after
        )
        page, more = keys[:PAGE], keys[PAGE:]
        entries = "".join(
            f"<Contents><Key>{escape(key.partition('/')[2])}</Key>"
            f"<Size>{len(self.server.objects[key])}</Size>"
            f"<LastModified>{self._time(key):%Y-%m-%dT%H:%M:%S.000Z}</LastModified>"
            '<ETag>"x"</ETag></Contents>'
            for key in page
        )
        last = escape(page[-1]) if page else ""
        token = f"<NextContinuationToken>{last}</NextContinuationToken>"
        return (
            '<?xml version="1.0"?><ListBucketResult>'
            f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
            f"{token if more else ''}{entries}</ListBucketResult>"
        ).encode()

    def _time(self, key):
        return self.server.modified.get(key) or datetime.now(UTC)

    def log_message(self, *_arguments):
        """Say nothing."""

    def _body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _query(self):
        return parse_qs(urlsplit(self.path).query, keep_blank_values=True)

    def _key(self):
        return unquote(urlsplit(self.path).path.lstrip("/"))

    def _is_allowed(self, body):
        self.server.requests.append((self.command, self.path))
        if self.server.hanging.is_set():
            self.server.ended.wait()
            self.close_connection = True
            return False
        if self.server.full and self.command in ("PUT", "POST"):
            self._answer(507, _xml("Error", Code="InsufficientStorage"))
            return False
        if self._key().startswith("missing"):
            self._answer(404, _xml("Error", Code="NoSuchBucket"))
            return False
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
