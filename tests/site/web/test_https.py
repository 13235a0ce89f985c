"""The way from plain HTTP to HTTPS: when it is taken, and with what it leads there."""

from __future__ import annotations

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpResponse
from django.test import RequestFactory

from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.settings.errors import SettingsError
from platform_site.settings.listen import https_port
from platform_site.site.web.https import RedirectToHttpsMiddleware

PEM = {
    "Kestrel__Certificates__Default__Path": "c.pem",
    "Kestrel__Certificates__Default__KeyPath": "k.pem",
}


def through(settings, port, **request):
    settings.PLATFORM_HTTPS_PORT = port
    middleware = RedirectToHttpsMiddleware(lambda _: HttpResponse("served"))
    return middleware(RequestFactory().get("/x?a=1", **request))


@pytest.mark.parametrize(
    ("port", "host", "location"),
    [
        (443, "app.example", "https://app.example/x?a=1"),
        (9443, "app.example:9080", "https://app.example:9443/x?a=1"),
        (443, "[::1]:9080", "https://[::1]/x?a=1"),
        (443, "[::1]", "https://[::1]/x?a=1"),
    ],
)
def test_plain_http_is_redirected_keeping_method_and_body(
    settings, port, host, location
):
    settings.ALLOWED_HOSTS = ["*"]
    answer = through(settings, port, headers={"host": host})
    assert answer.status_code == 307
    assert answer["Location"] == location


@pytest.mark.parametrize("path", ["/health/details", "/metrics"])
def test_a_monitoring_on_the_machine_itself_is_not_redirected(settings, path):
    settings.PLATFORM_HTTPS_PORT = 443
    middleware = RedirectToHttpsMiddleware(lambda _: HttpResponse("served"))
    assert middleware(RequestFactory().get(path)).content == b"served"
    settings.ALLOWED_HOSTS = ["*"]
    assert middleware(RequestFactory().get(f"{path}/x")).status_code == 307


def test_https_is_served(settings):
    assert through(settings, 443, secure=True).content == b"served"


def test_without_a_known_port_there_is_no_redirect(settings):
    with pytest.raises(MiddlewareNotUsed):
        through(settings, None)


@pytest.mark.parametrize(
    ("environ", "port"),
    [
        ({}, None),
        ({"ASPNETCORE_URLS": "http://*:80"}, None),
        ({"ASPNETCORE_URLS": "http://*:80;https://*:8443"}, 8443),
        ({"ASPNETCORE_HTTPS_PORTS": "9443"}, 9443),
        ({"ASPNETCORE_HTTPS_PORT": "443"}, 443),
        ({"HTTPS_PORT": "443"}, 443),
        ({"HTTPS_PORT": "443", "ASPNETCORE_URLS": "https://*:8443"}, 443),
    ],
)
def test_the_port_is_the_one_set_or_the_one_listened_on(environ, port):
    assert https_port(read_settings({**PEM, **environ})) == port


@pytest.mark.parametrize(
    "environ",
    [
        {"HTTPS_PORT": "70000"},
        {"Platform__Proxy__Trusted": "*"},
        {"Platform__Proxy__Trusted": "proxy.example"},
        {"Platform__Proxy__Trusted__0": "10.0.0.1/33"},
    ],
)
def test_a_port_or_proxy_that_is_none_is_named(environ):
    with pytest.raises(SettingsError) as raised:
        build(read_settings(environ))
    assert next(iter(environ.values())) in str(raised.value)


@pytest.mark.parametrize("proxies", ["10.0.0.5;10.1.0.0/16", "::1", "0.0.0.0/0"])
def test_addresses_and_networks_are_proxies(proxies):
    build(read_settings({"Platform__Proxy__Trusted": proxies}))
