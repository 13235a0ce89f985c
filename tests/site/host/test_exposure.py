"""What a start says about an installation that is open, and about one that is not."""

from __future__ import annotations

import pytest

from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.settings.listen import endpoints
from platform_site.site.host.exposure import exposure_warnings

CLOSED = {
    "ASPNETCORE_URLS": "http://*:8080",
    "ASPNETCORE_HTTPS_PORT": "443",
    "AllowedHosts": "platform.example",
    "Platform__Swagger__Enabled": "false",
}


def said(tmp_path, **environ):
    settings = read_settings({"Platform__DataPath": str(tmp_path), **environ})
    return list(exposure_warnings(build(settings), endpoints(settings)))


def test_nothing_is_said_about_an_installation_that_is_closed(tmp_path):
    assert said(tmp_path, **CLOSED) == []


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("ASPNETCORE_HTTPS_PORT", "", "plain HTTP"),
        ("AllowedHosts", "*", "AllowedHosts"),
        ("Platform__Swagger__Enabled", "true", "Platform:Swagger:Enabled"),
        ("Platform__Cors__AllowedOrigins__0", "https://a.example", "https://a.example"),
    ],
)
def test_each_exposure_is_reported_with_the_setting_to_change(
    tmp_path, variable, text, words
):
    (sentence,) = said(tmp_path, **{**CLOSED, variable: text})
    assert words in sentence


def test_an_origin_that_is_ignored_opens_nothing(tmp_path):
    assert said(tmp_path, **CLOSED, Platform__Cors__AllowedOrigins__0="*") == []


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("Platform__Proxy__Trusted", "127.0.0.1"),
        ("ASPNETCORE_HTTPS_PORT", "443"),
        ("ASPNETCORE_FORWARDEDHEADERS_ENABLED", "true"),
    ],
)
def test_a_site_behind_a_proxy_is_exposed_though_it_listens_on_loopback(
    tmp_path, variable, text
):
    sentences = said(tmp_path, **{variable: text})
    named = ("AllowedHosts", "Platform:Swagger:Enabled")
    assert all(any(name in one for one in sentences) for name in named)


def test_a_local_first_run_is_warned_only_about_plain_http(tmp_path):
    (sentence,) = said(tmp_path)
    assert "plain HTTP" in sentence


@pytest.mark.parametrize("name", ["db", "keys", "blobs", "backups"])
def test_a_folder_that_others_can_read_gives_a_warning(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name).chmod(0o755)  # whatever the umask
    assert said(tmp_path, **CLOSED) == []  # for nobody comes so far
    tmp_path.chmod(0o755)
    (sentence,) = said(tmp_path, **CLOSED)
    assert str(tmp_path / name) in sentence
