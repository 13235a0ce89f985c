"""Data folders of installations that were started once, for tests of what comes next."""

from __future__ import annotations

import shutil

import pytest

from tests.site.host.processes import command, environment


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    data = tmp_path_factory.mktemp("template") / "data"
    ended = command("startup", env=environment(data))
    assert ended.returncode == 0, ended.stderr
    return data


@pytest.fixture
def data(template, tmp_path):
    return shutil.copytree(template, tmp_path / "data")
