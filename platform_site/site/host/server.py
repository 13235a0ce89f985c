"""The server process: binds the endpoints, passes requests to the WSGI application in a
fixed pool of threads, and stops properly on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
import sys
from asyncio import constants
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Final
from wsgiref.types import WSGIApplication

import uvicorn

from importer.commands import STOP_SIGNALS
from platform_site.settings.effective import EffectiveSettings
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.listen import EVERY_ADDRESS, Endpoint
from platform_site.site.host.asgi_application import AsgiApplication
from platform_site.site.host.certificate import certificate_files
from platform_site.site.host.connections import ClientConnection
from platform_site.site.host.early_stop import end_at_last
from platform_site.site.host.metrics_endpoint import (
    MetricsApplication,
    MetricsEndpoint,
)
from platform_site.site.host.open_files import allow_many_connections
from platform_site.site.host.service_manager import ServiceManager
from platform_site.site.status.health import readiness
from platform_site.site.web.static_files import BrowserFiles

# Process managers kill after 30 seconds: most are for requests, the rest for runs.
GRACE_SECONDS: Final = 20
# The event loop yields at each system call, and every busy thread may then run this
# long before it continues: with the default of 5 ms many clients waited for seconds.
_TURN_SECONDS: Final = 0.001
_HANDSHAKE_SECONDS: Final = 10
_UNSENT_BYTES: Final = 128 << 10
_NO_SUCH_ADDRESS: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


class _Server(uvicorn.Server):
    """The server of one endpoint, without its own signal handling.

    The library would raise a caught signal again after a clean end, and the process
    would not exit with status 0.
    """

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._on_started()


@dataclass(frozen=True, slots=True)
class Listening:
    """An endpoint with its bound sockets."""

    endpoint: Endpoint
    sockets: list[socket.socket]


def bind_all(endpoints: Sequence[Endpoint]) -> list[Listening]:
    """Bind every endpoint or none; raise StartRefusedError for an unavailable one."""
    bound: list[Listening] = []
    try:
        for endpoint in endpoints:
            bound.append(Listening(endpoint, bind(endpoint)))
    except StartRefusedError:
        for one in bound:
            _close(one.sockets)
        raise
    return bound


def serve(
    application: WSGIApplication,
    listening: Sequence[Listening],
    settings: EffectiveSettings,
    *,
    on_started: Callable[[], None],
    on_stopping: Callable[[], None],
    metrics: MetricsEndpoint | None = None,
) -> None:
    """Serve until a signal; `on_started` is called when every endpoint is open, and
    `on_stopping` by the signal handler, while requests are still handled."""
    manager = ServiceManager(os.environ)
    waiting = list(listening)

    def one_started() -> None:
        waiting.pop()
        if not waiting:
            on_started()
            urls = ", ".join(one.endpoint.url for one in listening)
            manager.say("READY=1", f"STATUS=Serving at {urls}")

    spool_bytes = settings.number("Platform:Server:SpoolBytes")
    front = AsgiApplication(
        application, BrowserFiles(), readiness, spool_bytes, metrics
    )
    servers = [
        _Server(
            _config(_serving(one, front, metrics), one.endpoint, settings), one_started
        )
        for one in listening
    ]
    if metrics is not None:
        fronts = [
            server
            for server, one in zip(servers, listening, strict=True)
            if not one.endpoint.is_for_metrics
        ]
        metrics.source.watch(lambda: front.figures(_connections(fronts)))
    allow_many_connections()
    sys.setswitchinterval(_TURN_SECONDS)

    def stopping() -> None:
        manager.say("STOPPING=1", "STATUS=Finishing requests and stopping imports")
        on_stopping()

    _stop_on_signal(servers, stopping)
    # The library reads this constant for each connection; there is no argument for it.
    constants.SSL_HANDSHAKE_TIMEOUT = _HANDSHAKE_SECONDS
    life = manager.report_life(front.progress().is_made)
    asyncio.run(_serve_all(servers, [one.sockets for one in listening], life))


def _serving(
    one: Listening, front: AsgiApplication, metrics: MetricsEndpoint | None
) -> AsgiApplication | MetricsApplication:
    """Return what is served at an address."""
    if metrics is None or not one.endpoint.is_for_metrics:
        return front
    return MetricsApplication(metrics)


def _connections(servers: Sequence[_Server]) -> int:
    return sum(len(one.server_state.connections) for one in servers)


def bind(endpoint: Endpoint) -> list[socket.socket]:
    """Bind the endpoint's addresses, without those that this machine lacks."""
    sockets = []
    trouble: OSError | None = None
    for address in endpoint.addresses:
        try:
            sockets.append(_bind(address, endpoint.port))
        except OSError as error:
            trouble = error
            if error.errno not in _NO_SUCH_ADDRESS:
                break
    else:
        if sockets:
            return sockets
    _close(sockets)
    reason = trouble.strerror if trouble else "no address"
    url = f"{endpoint.scheme}://{endpoint.host}:{endpoint.port}"
    raise cannot_listen(url, reason)


def cannot_listen(urls: str, reason: object) -> StartRefusedError:
    """Return the refusal of a start whose addresses are unavailable."""
    return StartRefusedError(
        f"Cannot listen on {urls}: {reason}. Stop what uses the port, or set "
        "ASPNETCORE_URLS to another address."
    )


def _close(sockets: Sequence[socket.socket]) -> None:
    for one in sockets:
        one.close()


def _bind(address: str, port: int) -> socket.socket:
    if address in EVERY_ADDRESS:
        try:
            return _bound(socket.AF_INET6, address, port, dual=True)
        except OSError as error:
            if error.errno not in _NO_SUCH_ADDRESS:
                raise
            # IPv6 is disabled on this machine.
            return _bound(socket.AF_INET, "0.0.0.0", port)  # noqa: S104 - as asked
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return _bound(family, address, port)


def _bound(
    family: socket.AddressFamily, address: str, port: int, *, dual: bool = False
) -> socket.socket:
    # With an explicit protocol: only then asyncio sends small responses without waiting
    # for the previous confirmation, which takes 40 ms on a kept connection.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            # Otherwise the system buffers megabytes for a client that doesn't read.
            # Accepted connections inherit it.
            bound.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES
            )
        if family is socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(not dual))
        bound.bind((address, port))
    except OSError:
        bound.close()
        raise
    return bound


def _config(
    application: AsgiApplication | MetricsApplication,
    endpoint: Endpoint,
    settings: EffectiveSettings,
) -> uvicorn.Config:
    certificate, key = (
        certificate_files(settings) if endpoint.is_secure else (None, None)
    )
    config = uvicorn.Config(
        application,
        http=ClientConnection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        # Forwarded scheme and address count only from trusted proxies (OPEN-103).
        proxy_headers=True,
        forwarded_allow_ips=list(settings.list("Platform:Proxy:Trusted")),
        timeout_graceful_shutdown=GRACE_SECONDS,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    try:
        config.load()
    except OSError as error:
        raise StartRefusedError(
            f"The certificate {certificate} with the key {key} cannot be used: "
            f"{error.strerror or error}."
        ) from error
    return config


async def _serve_all(
    servers: Sequence[_Server],
    sockets: Sequence[list[socket.socket]],
    life: Coroutine[None, None, None],
) -> None:
    reporting = asyncio.create_task(life)
    try:
        await asyncio.gather(
            *(
                server.serve(sockets=bound)
                for server, bound in zip(servers, sockets, strict=True)
            )
        )
    finally:
        reporting.cancel()


def _stop_on_signal(
    servers: Sequence[_Server], on_stopping: Callable[[], None]
) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        if not servers[0].should_exit:
            end_at_last()
            on_stopping()
        for server in servers:
            # A second signal ends the wait for requests in progress.
            server.force_exit = server.should_exit
            server.should_exit = True

    for number in STOP_SIGNALS:
        signal.signal(number, stop)
