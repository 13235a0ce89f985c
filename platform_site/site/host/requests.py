"""The fixed pool of threads that runs the WSGI application: a request enters it when
its body is complete, and leaves it when its response is written."""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, Final
from urllib.parse import unquote_to_bytes
from weakref import WeakValueDictionary
from wsgiref.types import WSGIApplication

from platform_site.site.host.byte_budget import ByteBudget
from platform_site.site.host.response_bodies import Answer, ClientGoneError, Send

Message = dict[str, Any]

THREADS: Final = 8
# Requests of one address use only some threads and leave the others free.
THREADS_PER_CLIENT: Final = 4
_ANSWERS_IN_MEMORY_BYTES: Final = 32 << 20


class Requests:
    """The requests that the application handles."""

    def __init__(self, application: WSGIApplication, on_disk: ByteBudget) -> None:
        self._application = application
        self._in_memory = ByteBudget(_ANSWERS_IN_MEMORY_BYTES)
        self._on_disk = on_disk
        self._busy = self._finished = 0
        # Changed by the event loop alone.
        self._unfinished = 0
        self._count = threading.Lock()
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._threads = ThreadPoolExecutor(THREADS, "request")
        # For static files: only a slow disk can block these threads, not a client.
        self.files = ThreadPoolExecutor(4, "files")

    async def answer(self, scope: Message, body: Any, send: Send, **more: Any) -> None:
        """Handle a request; `more` is added to its environment."""
        connection = scope["state"]["connection"]
        answer = Answer(connection, self._in_memory, self._on_disk)
        environ = {**environment(scope), "wsgi.input": body, **more}
        run = contextvars.copy_context().run
        turn = self._turn(connection.address)
        self._unfinished += 1
        try:
            await turn.acquire()
        except BaseException:
            self._unfinished -= 1
            raise
        work = asyncio.get_running_loop().run_in_executor(
            self._threads, run, self._work, environ, answer
        )
        work.add_done_callback(lambda _work: self._finish(turn))
        try:
            await answer.send(send, work, self.files)
        finally:
            answer.end()

    @property
    def busy(self) -> int:
        """Return the number of threads that handle a request."""
        return self._busy

    @property
    def finished(self) -> int:
        """Return the number of requests that the threads have finished."""
        return self._finished

    @property
    def waiting(self) -> int:
        """Return the number of requests that have no thread yet."""
        return max(self._unfinished - self._busy, 0)

    def budgets(self) -> dict[str, ByteBudget]:
        """Return the budgets of responses: in memory, and on disk with the bodies."""
        return {"responses": self._in_memory, "disk": self._on_disk}

    def _finish(self, turn: asyncio.Semaphore) -> None:
        self._unfinished -= 1
        turn.release()

    def _turn(self, address: str) -> asyncio.Semaphore:
        turn = self._turns.get(address)
        if turn is None:
            turn = self._turns[address] = asyncio.Semaphore(THREADS_PER_CLIENT)
        return turn

    def _work(self, environ: Message, answer: Answer) -> None:
        with self._count:
            self._busy += 1
        try:
            if answer.is_wanted or environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
                _made(self._application, environ, answer)
        finally:
            with self._count:
                self._busy -= 1
                self._finished += 1


class _WholeFile:
    """A file that is sent unchanged, as WSGI allows."""

    def __init__(self, file: IO[bytes], size: int = 1 << 16) -> None:
        self._file = file
        self._size = size

    def __iter__(self) -> Any:
        return iter(lambda: self._file.read(self._size), b"")

    def taken(self) -> IO[bytes] | None:
        """Return the file for another reader; this one may then be closed."""
        try:
            return os.fdopen(os.dup(self._file.fileno()), "rb")
        except (OSError, AttributeError):
            return None  # it isn't on disk

    def close(self) -> None:
        """Close the file and the application's iterator."""
        self._file.close()


def _made(application: WSGIApplication, environ: Message, answer: Answer) -> None:
    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], object]:
        if exc_info is not None and answer.status:
            raise exc_info[1].with_traceback(exc_info[2])
        answer.status = int(status[:3])
        answer.headers = [
            (name.lower().encode("latin-1"), value.strip().encode("latin-1"))
            for name, value in headers
        ]
        return answer.write

    made: Iterable[bytes] = application(environ, start_response)
    try:
        file = made.taken() if isinstance(made, _WholeFile) else None
        if file is not None:
            answer.put_file(file)
        else:
            for piece in made:
                answer.write(piece)
    except ClientGoneError:
        pass
    finally:
        getattr(made, "close", lambda: None)()


def environment(scope: Message) -> Message:
    """Return the WSGI environment of a request (PEP 3333)."""
    server, port = scope.get("server") or ("localhost", 80)
    environ: Message = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server,
        "SERVER_PORT": str(port or 0),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": _WholeFile,
    }
    if scope.get("client"):
        environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = scope["client"]
    for raw, value in scope["headers"]:
        if b"_" in raw:
            # It would look like the header with hyphens, which a proxy may have checked.
            continue
        name = raw.decode("latin-1").upper().replace("-", "_")
        if name not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            name = f"HTTP_{name}"
        text = value.decode("latin-1")
        if name in environ:
            text = f"{environ[name]}{'; ' if name == 'HTTP_COOKIE' else ','}{text}"
        environ[name] = text
    return environ
