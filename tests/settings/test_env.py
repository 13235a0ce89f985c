"""The loader's table: what a source says, and the value that acts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from platform_site.settings.env import BUILT_IN, read_settings
from platform_site.settings.errors import SettingsError
from platform_site.settings.known import KNOWN
from platform_site.settings.sources import environment_name, settings_folder

SECRET = "s" * 40


def folder_with(tmp_path, base=None, **environments):
    if base is not None:
        (tmp_path / "appsettings.json").write_text(base, encoding="utf-8")
    for name, text in environments.items():
        (tmp_path / f"appsettings.{name}.json").write_text(text, encoding="utf-8")
    return tmp_path


def value(key, environ=None, folder=None):
    return read_settings(environ or {}, folder).effective(key).value


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Provider", "Sqlite"),
        ("ConnectionStrings:Sqlite", "Data Source=./db/platform.db"),
        ("ConnectionStrings:PostgreSql", ""),
        ("Platform:DataPath", ""),
        ("Platform:TimeZone", "UTC"),
        ("Platform:Database:BackupsToKeep", 5),
        ("Platform:Swagger:Enabled", True),
        ("Platform:Cors:AllowedOrigins", ()),
        ("Platform:Proxy:Trusted", ("127.0.0.1", "::1")),
        ("AllowedHosts", ("*",)),
        ("JwtOptions:Issuer", "platform"),
        ("JwtOptions:Expires", timedelta(days=1)),
        ("JwtOptions:RefreshExpiresToken", timedelta(days=14)),
        ("BlobStorage:LocalDiskRootPath", "blobs"),
        ("ReportResultCache:TtlSeconds", 300),
        ("Import:MaxPackageSizeBytes", 50 * 1024 * 1024),
        ("Import:RunsToKeep", 0),
        ("Demo:Seed", False),
        ("Https_Port", None),
    ],
)
def test_the_built_in_defaults_act_when_nothing_is_set(key, expected):
    """HOST-103, HOST-141, HOST-168, HOST-174."""
    assert value(key) == expected
    assert read_settings({}).source(key) == BUILT_IN


@pytest.mark.parametrize(
    ("variable", "text", "key", "expected"),
    [
        ("Provider", "PostgreSql", "Provider", "PostgreSql"),
        ("PROVIDER", "PostgreSql", "provider", "PostgreSql"),
        ("Platform__DataPath", "/srv/x", "Platform:DataPath", "/srv/x"),
        ("PLATFORM__DATAPATH", "/srv/x", "Platform:DataPath", "/srv/x"),
        ("platform__datapath", " /srv/x ", "PLATFORM:DATAPATH", "/srv/x"),
        ("Platform__DataPath", "  ", "Platform:DataPath", ""),
        (
            "Platform__Database__BackupsToKeep",
            "0",
            "Platform:Database:BackupsToKeep",
            0,
        ),
        ("Platform__Database__BackupsToKeep", "", "Platform:Database:BackupsToKeep", 5),
        ("Platform__Swagger__Enabled", "false", "Platform:Swagger:Enabled", False),
        ("Platform__Swagger__Enabled", "False", "Platform:Swagger:Enabled", False),
        ("Platform__Swagger__Enabled", "0", "Platform:Swagger:Enabled", False),
        ("Demo__Seed", "TRUE", "Demo:Seed", True),
        ("Demo__Seed", "1", "Demo:Seed", True),
        ("JwtOptions__Expires", "7", "JwtOptions:Expires", timedelta(days=7)),
        (
            "JwtOptions__Expires",
            "2.03:04:05",
            "JwtOptions:Expires",
            timedelta(days=2, hours=3, minutes=4, seconds=5),
        ),
        ("JwtOptions__Expires", "00:30", "JwtOptions:Expires", timedelta(minutes=30)),
        ("JwtOptions__Expires", "00:00:09", "JwtOptions:Expires", timedelta(seconds=9)),
        (
            "AllowedHosts",
            "a.example; b.example;",
            "AllowedHosts",
            ("a.example", "b.example"),
        ),
        ("AllowedHosts__0", "a.example", "AllowedHosts", ("a.example",)),
        ("ASPNETCORE_URLS", "http://*:80", "Urls", "http://*:80"),
        ("URLS", "http://*:81", "Urls", "http://*:81"),
        ("ASPNETCORE_HTTPS_PORT", "8443", "Https_Port", 8443),
        ("HTTPS_PORT", "8443", "Https_Port", 8443),
        ("ASPNETCORE_HTTP_PORTS", "80;81", "Http_Ports", ("80", "81")),
        ("JwtOptions__Secret", SECRET, "JwtOptions:Secret", SECRET),
    ],
)
def test_a_variable_sets_its_setting(variable, text, key, expected):
    """HOST-035."""
    assert value(key, {variable: text}) == expected


@pytest.mark.parametrize("setting", KNOWN, ids=lambda setting: setting.key)
def test_every_setting_can_be_set_by_its_variable(setting):
    """HOST-034."""
    number = max(7, setting.minimum or 0)
    texts = {
        "text": "x",
        "whole number": str(number),
        "true or false": "true",
        "list": "x",
    }
    text = setting.choices[0] if setting.choices else texts.get(setting.kind, "3")
    key = setting.key.replace("*", "X")
    settings = read_settings({setting.variable.replace("*", "X"): text})
    days = timedelta(days=3)
    assert settings.effective(key).value in (text, number, True, ("x",), days)
    assert settings.source(key).startswith("variable ")


@pytest.mark.parametrize(
    ("base", "key", "expected"),
    [
        ('{"Provider": "PostgreSql"}', "Provider", "PostgreSql"),
        ('\ufeff{"Provider": "PostgreSql"}', "Provider", "PostgreSql"),
        ('{"PROVIDER": "PostgreSql",}', "Provider", "PostgreSql"),
        ('{"Platform:DataPath": "x"}', "Platform:DataPath", "x"),
        ('{"Platform": {"DataPath": "x", /* here */}}', "Platform:DataPath", "x"),
        ('{// note "Provider": "no"\n"Provider": "yes"}', "Provider", "yes"),
        ('{"Urls": "http://localhost:1"}', "Urls", "http://localhost:1"),
        ('{"Provider": "a//b/*c*/,}"}', "Provider", "a//b/*c*/,}"),
        ('{"Provider": "say \\"//\\" twice"}', "Provider", 'say "//" twice'),
        ('{"Provider": null}', "Provider", "Sqlite"),
        ('{"Provider": ""}', "Provider", "Sqlite"),
        ('{"Demo": {"Seed": true}}', "Demo:Seed", True),
        ('{"Demo": {"Seed": "true"}}', "Demo:Seed", True),
        ('{"Import": {"RunsToKeep": 12}}', "Import:RunsToKeep", 12),
        ('{"Import": {"RunsToKeep": "12"}}', "Import:RunsToKeep", 12),
        ('{"AllowedHosts": "a;b"}', "AllowedHosts", ("a", "b")),
        ('{"AllowedHosts": ["a", "b",]}', "AllowedHosts", ("a", "b")),
        ('{"AllowedHosts": []}', "AllowedHosts", ("*",)),
        ("{}", "Provider", "Sqlite"),
    ],
)
def test_a_settings_file_is_read_as_its_authors_write_it(tmp_path, base, key, expected):
    assert value(key, folder=folder_with(tmp_path, base)) == expected


def test_later_sources_win_over_earlier_ones(tmp_path):
    """HOST-022, HOST-034, OPEN-93."""
    folder = folder_with(
        tmp_path,
        '{"JwtOptions": {"Issuer": "base", "Audience": "base"}, "Provider": "base"}',
        Production='{"JwtOptions": {"Issuer": "production", "Audience": "production"}}',
        Development='{"JwtOptions": {"Audience": "development"}}',
    )
    settings = read_settings({"JwtOptions__Issuer": "variable"}, folder)
    assert settings.text("JwtOptions:Issuer") == "variable"
    assert settings.text("JwtOptions:Audience") == "production"
    assert settings.text("Provider") == "base"
    assert settings.source("JwtOptions:Issuer") == "variable JwtOptions__Issuer"
    assert settings.source("JwtOptions:Audience") == "appsettings.Production.json"
    assert settings.source("Provider") == "appsettings.json"


def test_the_environments_file_is_found_in_any_letter_case(tmp_path):
    folder = folder_with(tmp_path, "{}", staging='{"Provider": "here"}')
    assert value("Provider", {"ASPNETCORE_ENVIRONMENT": "Staging"}, folder) == "here"


def test_lists_merge_by_index(tmp_path):
    folder = folder_with(
        tmp_path,
        '{"Platform": {"Cors": {"AllowedOrigins": ["a", "b", "c"]}}}',
        Production='{"Platform": {"Cors": {"AllowedOrigins": ["p"]}}}',
    )
    environ = {
        "Platform__Cors__AllowedOrigins__1": "env",
        "Platform__Cors__AllowedOrigins__10": "last",
        "Platform__Cors__AllowedOrigins__2": "",
    }
    assert value("Platform:Cors:AllowedOrigins", environ, folder) == (
        "p",
        "env",
        "last",
    )


def test_a_plain_text_replaces_an_earlier_list_whole(tmp_path):
    folder = folder_with(tmp_path, '{"AllowedHosts": ["a", "b"]}')
    assert value("AllowedHosts", {"AllowedHosts": "c"}, folder) == ("c",)


def test_variables_that_differ_in_case_alone_must_agree():
    with pytest.raises(SettingsError, match="PROVIDER and Provider"):
        read_settings({"PROVIDER": "a", "Provider": "b"})
    assert value("Provider", {"PROVIDER": "a", "Provider": "a"}) == "a"
    assert value("Provider", {"http_proxy": "a", "HTTP_PROXY": "b"}) == "Sqlite"


@pytest.mark.parametrize(
    "variable",
    [
        "JwtOptions__Secret",
        "ConnectionStrings__Sqlite",
        "ConnectionStrings__PostgreSql",
        "Licensing__LicenseValue",
        "Platform__Seed__AdminPassword",
        "Platform__SecretKey",
    ],
)
def test_a_secret_can_be_read_from_a_file(tmp_path, variable):
    (tmp_path / "secret").write_text(f"{SECRET}\n", encoding="utf-8")
    settings = read_settings({f"{variable}__FILE": str(tmp_path / "secret")})
    key = variable.replace("__", ":")
    assert settings.text(key) == SECRET
    assert settings.source(key) == f"variable {variable}__FILE"
    assert settings.effective(key).shown == "********"
    assert settings.warnings == ()


def test_only_secrets_have_the_file_form(tmp_path):
    (tmp_path / "provider").write_text("PostgreSql", encoding="utf-8")
    environ = {"Platform__DataPath__FILE": str(tmp_path / "provider")}
    settings = read_settings(environ)
    assert settings.text("Platform:DataPath") == ""
    assert len(settings.warnings) == 1


def test_feature_flags_are_read_by_name():
    environ = {"FeatureManagement__Beta": "true", "FEATUREMANAGEMENT__OLD": "false"}
    assert read_settings(environ).flags() == {"beta": True, "old": False}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "Production"),
        ({"ASPNETCORE_ENVIRONMENT": ""}, "Production"),
        ({"ASPNETCORE_ENVIRONMENT": "development"}, "Development"),
        ({"aspnetcore_environment": "PRODUCTION"}, "Production"),
        ({"ASPNETCORE_ENVIRONMENT": "Staging"}, "Staging"),
        ({"DOTNET_ENVIRONMENT": "Development"}, "Development"),
        (
            {"DOTNET_ENVIRONMENT": "Development", "ASPNETCORE_ENVIRONMENT": "Staging"},
            "Staging",
        ),
    ],
)
def test_the_environment_is_named_by_its_variable(environ, expected):
    """HOST-021, OPEN-91."""
    assert environment_name(environ) == expected
    assert read_settings(environ).environment == expected


def test_an_environment_that_is_no_plain_word_is_refused():
    with pytest.raises(SettingsError, match="plain word"):
        environment_name({"ASPNETCORE_ENVIRONMENT": "../secrets"})


def test_settings_files_come_from_the_working_folder_only_if_it_has_one(tmp_path):
    """HOST-077."""
    application, working = tmp_path / "application", tmp_path / "working"
    working.mkdir()
    assert settings_folder(working, application) == application
    assert settings_folder(None, application) == application
    folder_with(working, "{}")
    assert settings_folder(working, application) == working
