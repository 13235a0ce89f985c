"""Keys that no setting has: which are told, with which one was meant, and which are not."""

from __future__ import annotations

import pytest

from platform_site.settings.env import read_settings


def folder_with(tmp_path, text):
    (tmp_path / "appsettings.json").write_text(text, encoding="utf-8")
    return tmp_path


def test_each_unknown_key_of_the_platform_gives_one_warning(tmp_path):
    folder = folder_with(tmp_path, '{"Platform": {"Swager": {"Enabled": false}}}')
    environ = {"Platform__DataPaht": "x", "Other__Thing": "x", "PATH": "/bin"}
    first, second = read_settings(environ, folder).warnings
    assert "Platform:Swager:Enabled (appsettings.json)" in first
    assert "Was Platform:Swagger:Enabled meant?" in first
    assert "Platform:DataPaht (variable Platform__DataPaht)" in second
    assert "Was Platform:DataPath meant?" in second


@pytest.mark.parametrize(
    ("base", "environ", "words"),
    [
        ('{"JwtOptions": {"Isuer": "x"}}', {}, "JwtOptions:Issuer"),
        ('{"Plattform": {"DataPath": "x"}}', {}, "Platform:DataPath"),
        ('{"ConectionStrings": {"Sqlite": "x"}}', {}, "ConnectionStrings:Sqlite"),
        ('{"Providr": "PostgreSql"}', {}, "Provider"),
        ("{}", {"JwtOptions__Secert": "x"}, "JwtOptions:Secret"),
        ("{}", {"Demo__Sed": "true"}, "Demo:Seed"),
        ("{}", {"JwtOption__Secret": "x"}, "JwtOptions:Secret"),
        ("{}", {"Plattform__DataPath": "x"}, "Platform:DataPath"),
        ("{}", {"ASPNETCORE_URL": "http://*:80"}, "Urls"),
        ('{"Logging": {"Fromat": "json"}}', {}, "Logging:Format"),
        ('{"Kestrel": {"Endpoints": {"Http": {"Url": "x"}}}}', {}, ""),
        ("{}", {"Import__Sources__shop__Urll": "https://a.example"}, ""),
    ],
)
def test_a_misspelt_key_is_named_with_the_one_that_was_meant(
    tmp_path, base, environ, words
):
    (warning,) = read_settings(environ, folder_with(tmp_path, base)).warnings
    assert warning.startswith("There is no setting ")
    assert warning.endswith(f"Was {words} meant?" if words else "ignored.")


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "GIT_AUTHOR_NAME",
        "SOME__OTHER__PROGRAM",
        "GRAFANA__DATABASE__PATH",
        "http_proxy",
        "ASPNETCORE_DETAILEDERRORS",
        "ASPNETCORE_CONTENTROOT",
        "DOTNET_ENVIRONMENT",
        "Logging__LogLevel__Default",
        "URL",
        "PROVIDERS",
    ],
)
def test_variables_of_others_give_no_warning(name):
    assert read_settings({name: "x"}).warnings == ()


def test_what_old_settings_files_say_of_the_log_gives_no_warning(tmp_path):
    """Its levels are those of another library, and nobody relies on them."""
    text = """{
        "$schema": "https://json.schemastore.org/appsettings.json",
        "Logging": {
            "LogLevel": {"Default": "Information", "Microsoft.AspNetCore": "Warning"},
            "Console": {"FormatterName": "json"}
        },
        "FeatureManagement": {"Beta": true},
        "AllowedHosts": ["a.example"],
        "Import": {"Sources": {"shop": {"Url": "https://a.example", "Token": "t"}}}
    }"""
    assert read_settings({}, folder_with(tmp_path, text)).warnings == ()


def test_known_keys_give_no_warning():
    environ = {
        "Platform__DataPath": "x",
        "Platform__Proxy__Trusted__0": "10.0.0.1",
        "PLATFORM__SWAGGER__ENABLED": "true",
    }
    assert read_settings(environ).warnings == ()
