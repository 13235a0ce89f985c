"""Addresses to listen on, as operators write them."""

from __future__ import annotations

import pytest

from platform_site.settings.env import read_settings
from platform_site.settings.errors import SettingsError
from platform_site.settings.listen import EVERY_ADDRESS, LOOPBACK, Endpoint, endpoints


def listened(**environ):
    return endpoints(read_settings(environ))


@pytest.mark.parametrize(
    ("text", "addresses", "port"),
    [
        ("http://localhost:5000", LOOPBACK, 5000),
        ("http://LOCALHOST", LOOPBACK, 80),
        ("HTTP://127.0.0.1:5055/", ("127.0.0.1",), 5055),
        ("http://[::1]:5055", ("::1",), 5055),
        ("http://0.0.0.0:80", ("0.0.0.0",), 80),
        ("http://*:8080", EVERY_ADDRESS, 8080),
        ("http://+:8080", EVERY_ADDRESS, 8080),
        ("http://shop.example:8080", EVERY_ADDRESS, 8080),
    ],
)
def test_an_address_names_what_to_bind(text, addresses, port):
    (endpoint,) = listened(ASPNETCORE_URLS=text)
    assert endpoint.addresses == addresses
    assert endpoint.port == port


def test_entries_are_separated_by_semicolons_and_bound_once():
    text = "http://localhost:1 ; http://*:2;;http://localhost:1"
    assert listened(ASPNETCORE_URLS=text) == (
        Endpoint("http", "localhost", 1),
        Endpoint("http", "*", 2),
    )


def test_without_any_address_the_server_listens_on_localhost():
    assert listened() == (Endpoint("http", "localhost", 5000),)


def test_port_lists_act_only_without_addresses():
    ports = {"ASPNETCORE_HTTP_PORTS": "8080;8081"}
    assert [one.port for one in listened(**ports)] == [8080, 8081]
    assert [one.port for one in listened(**ports, ASPNETCORE_URLS="http://*:1")] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "localhost:5000",
        "ftp://localhost",
        "http://",
        "http://:80",
        "http://localhost:0",
        "http://localhost:65536",
        "http://localhost:http",
        "http://localhost/base",
        "http://999.1.1.1:80",
        "http://[::g]:80",
        "http://a b:80",
        "http://localhost:1;nonsense",
    ],
)
def test_an_address_that_cannot_be_used_is_named_with_its_source(text):
    """OPEN-92."""
    with pytest.raises(SettingsError) as raised:
        listened(ASPNETCORE_URLS=text)
    assert "variable ASPNETCORE_URLS" in str(raised.value)


def test_an_https_address_needs_a_certificate():
    with pytest.raises(SettingsError, match="needs a certificate"):
        listened(ASPNETCORE_URLS="https://*:443")
    certificate = "Kestrel__Certificates__Default__"
    (endpoint,) = listened(
        **{
            "ASPNETCORE_URLS": "https://*:443",
            f"{certificate}Path": "cert.pem",
            f"{certificate}KeyPath": "key.pem",
        }
    )
    assert endpoint.is_secure


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://*:8080", "http://localhost:8080"),
        ("http://0.0.0.0:80", "http://localhost"),
        ("http://[::1]:5000", "http://[::1]:5000"),
        ("http://127.0.0.1:5000", "http://127.0.0.1:5000"),
    ],
)
def test_the_address_shown_can_be_opened_in_a_browser(text, url):
    (endpoint,) = listened(ASPNETCORE_URLS=text)
    assert endpoint.url == url
