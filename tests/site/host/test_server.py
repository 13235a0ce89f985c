"""Binding addresses, and the sentence when one cannot be bound."""

from __future__ import annotations

import socket

import pytest

from platform_site.settings.env import read_settings
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.listen import Endpoint
from platform_site.site.host.server import bind, bind_all, serve


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_localhost_is_bound_on_the_loopback_only(port):
    sockets = bind(Endpoint("http", "localhost", port))
    try:
        assert {one.getsockname()[0] for one in sockets} <= {"127.0.0.1", "::1"}
        assert sockets
    finally:
        for one in sockets:
            one.close()


def test_a_port_in_use_is_refused_with_its_address(port):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", port))
        holder.listen()
        with pytest.raises(StartRefusedError) as raised:
            bind(Endpoint("http", "127.0.0.1", port))
    assert f"http://127.0.0.1:{port}" in str(raised.value)
    assert "ASPNETCORE_URLS" in str(raised.value)


def test_where_one_endpoint_cannot_be_bound_none_stays_bound(port):
    free = Endpoint("http", "127.0.0.1", port)
    with pytest.raises(StartRefusedError):
        bind_all([free, Endpoint("http", "192.0.2.1", port)])
    for one in bind(free):
        one.close()


def test_an_address_of_another_machine_is_refused(port):
    with pytest.raises(StartRefusedError, match=r"192\.0\.2\.1"):
        bind(Endpoint("http", "192.0.2.1", port))


def test_a_certificate_that_cannot_be_read_is_refused_with_its_path(port, tmp_path):
    certificate = "Kestrel__Certificates__Default__"
    settings = read_settings(
        {
            f"{certificate}Path": str(tmp_path / "none.pem"),
            f"{certificate}KeyPath": str(tmp_path / "none.key"),
        }
    )
    endpoint = Endpoint("https", "127.0.0.1", port)
    with pytest.raises(StartRefusedError, match=r"none\.pem"):
        serve(
            lambda *_: [],
            bind_all([endpoint]),
            settings,
            on_started=pytest.fail,
            on_stopping=pytest.fail,
        )
