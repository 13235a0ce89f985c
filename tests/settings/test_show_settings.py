"""The command `show_settings`: values, sources, masks, and nothing written."""

from __future__ import annotations

import pytest

from platform_site.settings.env import read_settings
from platform_site.settings.known import KNOWN
from tests.site.host.processes import command, environment

pytestmark = pytest.mark.process


def shown(data, **more):
    ended = command("show_settings", env=environment(data, **more))
    assert ended.returncode == 0, ended.stderr
    lines = [line.split(None, 1) for line in ended.stdout.splitlines()]
    return {line[0]: line[1] for line in lines}, ended


def test_every_setting_is_printed_with_its_source_and_no_secret(tmp_path):
    secret = "s" * 40
    found, ended = shown(
        tmp_path / "data",
        JwtOptions__Secret=secret,
        Demo__Seed="true",
        Platform__Dtabase__BackupsToKeep="3",
    )
    assert {one.key for one in KNOWN if not one.is_family} <= set(found)
    assert found["Demo:Seed"] == "true  (variable Demo__Seed)"
    assert found["JwtOptions:Secret"] == "********  (variable JwtOptions__Secret)"
    assert found["Import:RunsToKeep"] == "0  (built-in default)"
    assert secret not in ended.stdout + ended.stderr
    assert "Was Platform:Database:BackupsToKeep meant?" in ended.stderr
    assert not (tmp_path / "data").exists()


def test_a_missing_licence_file_is_reported_and_blocks_nothing(tmp_path):
    missing = {"Licensing__LicenseValue__FILE": str(tmp_path / "none")}
    found, ended = shown(tmp_path / "data", **missing)
    assert found["Licensing:LicenseValue"].startswith("unreadable")
    assert "cannot be read" in ended.stderr
    started = command("startup", env=environment(tmp_path / "data", **missing))
    assert started.returncode == 0, started.stderr
    assert "Licence: invalid" in started.stderr


def test_only_a_licence_may_be_unreadable():
    lenient = [one.key for one in KNOWN if one.may_be_unreadable]
    assert lenient == ["Licensing:LicenseValue"]
    assert read_settings({}).effective(lenient[0]).trouble == ""
