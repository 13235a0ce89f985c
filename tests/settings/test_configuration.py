"""What the settings build: folders, keys, zone, and the module Django reads."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from platform_site.settings.choice import choose
from platform_site.settings.configuration import APPLICATION_FOLDER, build
from platform_site.settings.env import read_settings
from platform_site.settings.errors import SettingsError
from tests.environment import inherited
from tests.site.host.processes import environment

# What the product goes by, as it finds it when it runs.
ASK = """
import json
from django.conf import settings
from platform_site.settings.features import feature_enabled
print(json.dumps({
    "backups": settings.PLATFORM_BACKUPS_TO_KEEP,
    "reports": settings.REPORT_RESULT_CACHE,
    "off": feature_enabled("Off", default=True),
    "on": feature_enabled("On"),
    "blobs": str(settings.PLATFORM_BLOBS_FOLDER),
}))
"""


def built(**environ):
    return build(read_settings(environ))


def printed(program, data, **environ):
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(data, **environ),
        cwd=APPLICATION_FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_data_folder_is_the_applications_own_unless_set():
    """HOST-061."""
    assert built().data_folder == APPLICATION_FOLDER
    assert (APPLICATION_FOLDER / "manage.py").is_file()


def test_a_host_may_offer_a_data_folder_and_the_operator_decides(tmp_path):
    """HOST-039, OPEN-98."""
    offered, chosen = tmp_path / "offered", tmp_path / "chosen"
    host = {"Platform__HostDataPath": str(offered)}
    assert built(**host).data_folder == offered
    assert built(**host, Platform__DataPath=str(chosen)).data_folder == chosen


def test_only_an_old_attachment_folder_without_a_new_one_is_kept_in_use(tmp_path):
    """HOST-072, OPEN-99."""
    path = {"Platform__DataPath": str(tmp_path)}
    assert built(**path).blobs_folder == tmp_path / "blobs"
    old = tmp_path / "App_Data" / "blobs"
    old.mkdir(parents=True)
    assert built(**path).blobs_folder == old
    (tmp_path / "blobs").mkdir()
    assert built(**path).blobs_folder == tmp_path / "blobs"


def test_the_database_lies_under_the_data_folder(tmp_path):
    configuration = built(Platform__DataPath=str(tmp_path))
    assert configuration.connection.entry["NAME"] == str(tmp_path / "db/platform.db")


def test_only_the_selected_providers_string_is_read():
    """HOST-037."""
    configuration = built(
        Provider="postgresql",
        ConnectionStrings__Sqlite="not readable",
        ConnectionStrings__PostgreSql="Host=h;Database=d",
    )
    assert configuration.connection.entry["NAME"] == "d"


def test_several_nodes_need_postgresql():
    server = {"Provider": "PostgreSql", "ConnectionStrings__PostgreSql": "Database=d"}
    assert not built(**server).has_nodes
    assert built(**server, Platform__Nodes="many").has_nodes
    # The earlier name, which has never meant anything without PostgreSQL.
    assert built(**server, Platform__Database__SeveralNodes="true").has_nodes
    assert not built(Platform__Database__SeveralNodes="true").has_nodes
    with pytest.raises(SettingsError, match=r"Platform:Nodes is 'many'.*PostgreSql"):
        built(Platform__Nodes="many")


def test_an_unknown_time_zone_is_refused():
    for name in ("Nowhere/City", "../etc/passwd", "Europe"):
        with pytest.raises(SettingsError, match="Platform:TimeZone"):
            built(Platform__TimeZone=name)
    assert built(Platform__TimeZone="Europe/Berlin").time_zone == "Europe/Berlin"


def test_a_trusted_origin_without_a_scheme_is_refused():
    with pytest.raises(SettingsError, match="http://"):
        built(Platform__Csrf__TrustedOrigins__0="shop.example")


def test_forwarded_headers_without_a_named_proxy_give_a_warning():
    asked = {"ASPNETCORE_FORWARDEDHEADERS_ENABLED": "true"}
    assert "Platform:Proxy:Trusted" in built(**asked).warnings[0]
    assert built(**asked, Platform__Proxy__Trusted__0="10.0.0.1").warnings == ()


def test_the_secret_key_follows_the_signing_key(tmp_path):
    path = str(tmp_path)
    assert built(Platform__DataPath=path).secret_key is None
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "jwt-signing.key").write_text("k" * 86, encoding="ascii")
    stored = built(Platform__DataPath=path).secret_key
    assert stored
    assert "k" * 10 not in stored
    configured = built(Platform__DataPath=path, JwtOptions__Secret="s" * 40).secret_key
    assert configured not in (None, stored)
    own = built(Platform__DataPath=path, Platform__SecretKey="mine").secret_key
    assert own == "mine"


@pytest.mark.parametrize(
    ("command", "environ", "module", "environment"),
    [
        ("serve", {}, "production", None),
        (
            "serve",
            {"ASPNETCORE_ENVIRONMENT": "development"},
            "development",
            "development",
        ),
        ("serve", {"ASPNETCORE_ENVIRONMENT": "Staging"}, "production", "Staging"),
        ("runserver", {}, "development", "Development"),
        (
            "runserver",
            {"ASPNETCORE_ENVIRONMENT": "Production"},
            "production",
            "Production",
        ),
        ("test", {}, "test", "Development"),
    ],
)
def test_the_settings_module_follows_command_and_environment(
    command, environ, module, environment
):
    """HOST-021, OPEN-91."""
    chosen = dict(environ)
    choose(chosen, ["manage.py", command])
    assert chosen["DJANGO_SETTINGS_MODULE"] == f"platform_site.settings.{module}"
    assert chosen.get("ASPNETCORE_ENVIRONMENT") == environment


def test_a_settings_module_that_was_given_stays():
    chosen = {"DJANGO_SETTINGS_MODULE": "elsewhere.settings"}
    choose(chosen, ["manage.py", "runserver"])
    assert chosen["DJANGO_SETTINGS_MODULE"] == "elsewhere.settings"


@pytest.mark.parametrize(
    ("given", "told"),
    [("perhaps", "perhaps"), ("per\nhaps \x1b[31m", r"per\u000ahaps \u001b[31m")],
)
def test_the_command_line_prints_a_wrong_setting_as_one_sentence(tmp_path, given, told):
    ended = subprocess.run(
        [sys.executable, str(APPLICATION_FOLDER / "manage.py"), "check"],
        env={**inherited(), "Demo__Seed": given},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 78
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith(f"Demo:Seed is '{told}' (variable Demo__Seed)")


def test_reading_the_settings_writes_nothing(tmp_path):
    program = "import platform_site.settings.production as p; print(p.DATABASES)"
    assert "platform.db" in printed(program, tmp_path / "data")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("module", ["production", "development"])
def test_what_is_set_is_what_the_product_goes_by(tmp_path, module):
    """HOST-046, HOST-050, HOST-051, HOST-052, HOST-072."""
    old = tmp_path / "App_Data" / "blobs"
    old.mkdir(parents=True)
    environ = {
        "DJANGO_SETTINGS_MODULE": f"platform_site.settings.{module}",
        "Platform__Database__BackupsToKeep": "2",
        "ReportResultCache__TtlSeconds": "7",
        "ReportResultCache__MaxEntries": "3",
        "FeatureManagement__Off": "false",
        "FeatureManagement__On": "true",
    }
    assert json.loads(printed(ASK, tmp_path, **environ)) == {
        "backups": 2,
        "reports": {"TTL_SECONDS": 7, "MAX_ENTRIES": 3},
        "off": False,
        "on": True,
        "blobs": str(old),
    }
