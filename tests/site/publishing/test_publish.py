"""The published folder: what is in it, and that it runs elsewhere on its own."""

from __future__ import annotations

import hashlib
import http.cookiejar
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from importlib.metadata import distributions
from pathlib import Path

import pytest

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.publishing.languages import DOMAINS, LANGUAGES
from platform_site.site.publishing.libraries import locked_packages
from tests.drill import seconds
from tests.environment import inherited
from tests.markdown import dead_files, dead_sections
from tests.site.host.processes import (
    LIMIT_SECONDS,
    Served,
    command,
    environment,
    free_port,
)
from tests.site.publishing.conftest import publish

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name != "posix", reason="It starts a shell script."),
]
# What is small already; anything else shall be found in both small forms.
COMPACT = {".png", ".woff", ".woff2", ".br", ".gz"}


def files(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in found}


def test_the_folder_holds_what_a_server_needs(published):
    """HOST-008, HOST-009, HOST-011 to HOST-015."""
    assert {
        "platform",
        "platform.cmd",
        "web.config",
        "appsettings.json",
        "appsettings.Development.json",
        "SHA256SUMS",
        "SBOM.cdx.json",
        "LICENSES.md",
        "importer/services.py",
        "catalogs/models/items.py",
        "licensing/licence-public-key.pem",
        "demo/import_packages/demo-company.json",
        "lib/django/__init__.pyc",
        "templates/error.html",
        # Agents read them.
        "docs/package-format.md",
        "docs/outcomes.md",
        "wwwroot/css/errors.css",
        "wwwroot/_content/admin/css/base.css",
    } <= files(published)
    assert list((published / "db").iterdir()) == []


def test_every_language_of_every_part_is_in_it_compiled(published):
    """HOST-016, OPEN-90."""
    assert "de" in LANGUAGES
    expected = {
        f"{domain.folder}/{language}/LC_MESSAGES/django.mo"
        for domain in DOMAINS
        for language in LANGUAGES
    }
    assert expected - files(published) == set()


def test_every_library_is_in_it_in_the_version_it_is_locked_to(published):
    """HOST-008."""
    lock = (APPLICATION_FOLDER / "requirements.lock").read_text("utf-8")
    locked = {(n, v) for n, v, always in locked_packages(lock) if always}
    found = distributions(path=[str(published / "lib")])
    there = {(re.sub(r"[-_.]+", "-", d.name).lower(), d.version) for d in found}
    assert len(locked) > 20
    assert locked - there == set()
    # Of the database that no other test of this folder uses.
    assert "lib/psycopg/__init__.pyc" in files(published)


def test_nothing_is_in_it_that_only_developers_need(published):
    """HOST-017."""
    unwanted = re.compile(
        r"(^|/)(tests|\.git|\.venv)/|\.(po|pot|map|pyi)$|settings/test\.py"
        r"|(^|/)publishing/|^data/"
        # What makes a distribution of the importer.
        r"|^importer/(hatch_build\.py|pyproject\.toml|[^/]+\.md)$"
        r"|^docs/(requirements|performance\.json|examples/importer)"
    )
    assert {name for name in files(published) if unwanted.search(name)} == set()


def test_the_documentation_in_it_leads_from_page_to_page(published):
    """An operator needs the pages where the program is, without a checkout."""
    ours = [p for p in published.rglob("*.md") if "lib" not in p.parts]
    assert {"README.md", "CHANGELOG.md", "deploy/README.md", "docs/monitoring.md"} <= {
        page.relative_to(published).as_posix() for page in ours
    }
    assert {page: dead for page in ours if (dead := dead_files(page))} == {}
    assert {page: dead for page in ours if (dead := dead_sections(page))} == {}
    assert (published / "docs/examples/prometheus/alerts.yml").is_file()


def test_every_file_for_browsers_is_compressed_both_ways(published):
    """HOST-010."""
    names = files(published / "wwwroot")
    plain = {name for name in names if Path(name).suffix not in COMPACT}
    assert len(plain) > 50
    assert {name for name in plain if f"{name}.br" not in names} == set()
    assert {name for name in plain if f"{name}.gz" not in names} == set()


def test_the_list_of_the_files_for_browsers_is_not_among_them(published):
    """Whatever lies there is served to anybody."""
    assert "staticfiles.json" in files(published)
    served = files(published / "wwwroot")
    assert {name for name in served if name.startswith("staticfiles")} == set()


def test_the_checksums_are_those_of_all_files(published):
    lines = (published / "SHA256SUMS").read_text("utf-8").splitlines()
    sums = dict(reversed(line.split("  ", 1)) for line in lines)
    assert set(sums) == files(published) - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((published / name).read_bytes()).hexdigest() == digest


def test_two_publishes_are_equal(published, tmp_path):
    again = publish(tmp_path / "out")
    assert (again / "SHA256SUMS").read_bytes() == (
        published / "SHA256SUMS"
    ).read_bytes()


def test_a_folder_in_use_is_not_overwritten(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    ended = command("publish", str(tmp_path), env=environment(tmp_path / "data"))
    assert ended.returncode == 1
    assert "is not empty" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


SYSTEMS_PYTHON = shutil.which(
    f"python3.{sys.version_info.minor}", path="/usr/local/bin:/usr/bin:/bin"
)
# As a user without rights, where we may become one and it has a Python to run.
AS_NOBODY = os.geteuid() == 0 and SYSTEMS_PYTHON is not None


def test_it_runs_as_another_user_with_nothing_but_a_data_folder(
    published, place, tmp_path
):
    """HOST-004, HOST-007, HOST-027, HOST-056, OPEN-87."""
    data = place / "home"
    data.mkdir()
    if AS_NOBODY:
        shutil.chown(data, "nobody")
    url = f"http://127.0.0.1:{free_port()}"
    begun = time.monotonic()
    process = subprocess.Popen(
        [published / "platform"],
        cwd="/",
        env={
            "Platform__DataPath": str(data / "data"),
            "ASPNETCORE_URLS": url,
            "PLATFORM_PYTHON": SYSTEMS_PYTHON or sys._base_executable,
        },
        stdout=subprocess.PIPE,
        stderr=(tmp_path / "log.txt").open("w", encoding="utf-8"),
        text=True,
        **({"user": "nobody", "group": "nogroup"} if AS_NOBODY else {}),
    )
    try:
        line = process.stdout.readline()
        assert line, (tmp_path / "log.txt").read_text(encoding="utf-8")
        assert ask(f"{url}/health/ready") == "Healthy"
        assert time.monotonic() - begun < seconds(5)
        page = ask(f"{url}/admin/login/?next=/admin/")
        sheets = re.findall(r'href="(/static/[^"]+\.css)"', page)
        assert any("_content/admin" in sheet for sheet in sheets)
        for sheet in sheets:
            assert "{" in ask(f"{url}{sheet}")
        assert "/admin/logout/" in first_page(url)
        page = ask(f"{url}/swagger")
        parts = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert any("swagger-ui-bundle" in part for part in parts)
        for part in parts:
            assert part.startswith("/")
            ask(f"{url}{part}")
        assert_programs_are_served(Served(data / "data", url, process))
        process.terminate()
        assert process.wait(timeout=LIMIT_SECONDS) == 0
    finally:
        process.kill()
        process.stdout.close()


def assert_programs_are_served(served):
    """HOST-004, HOST-027, HOST-056: strangers may read what programs can call."""
    described = json.loads(ask(f"{served.url}/swagger/v1/swagger.json"))
    assert {"/api/v1/About", "/api/v1/Items"} <= set(described["paths"])
    status, _ = served.about(served.sign_in()["token"])
    assert status == 200


def first_page(url):
    """Sign in as the first administrator, and return the page that follows."""
    browser = urllib.request.build_opener(
        urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    )
    page = browser.open(f"{url}/admin/login/", timeout=LIMIT_SECONDS).read().decode()
    fields = {
        "csrfmiddlewaretoken": re.search(r'token" value="([^"]+)', page)[1],
        "username": "admin",
        "password": DEFAULT_ADMIN_PASSWORD,
        "next": "/admin/",
    }
    body = urllib.parse.urlencode(fields).encode()
    answer = browser.open(f"{url}/admin/login/", body, timeout=LIMIT_SECONDS)
    return answer.read().decode()


def ask(url):
    with urllib.request.urlopen(url, timeout=LIMIT_SECONDS) as answer:
        return answer.read().decode(errors="replace")


def test_its_own_folder_is_the_data_folder_wherever_it_is_started(published, tmp_path):
    """HOST-061, HOST-062, HOST-063, HOST-077; and nothing is written by asking."""
    for settings, expected in (
        ({}, published),
        ({"Platform__DataPath": "state"}, published / "state"),
    ):
        ended = subprocess.run(
            [published / "platform", "show_settings"],
            cwd=tmp_path,
            env={"PLATFORM_PYTHON": SYSTEMS_PYTHON or sys._base_executable, **settings},
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_SECONDS,
        )
        assert ended.returncode == 0, ended.stderr
        assert re.search(rf"Data folder +{re.escape(str(expected))} ", ended.stdout)
        assert "(appsettings.json)" in ended.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{"python": "cpython-399"}, {"system": "vax-vms"}])
def test_another_python_or_system_is_refused_with_a_sentence(
    published, tmp_path, wrong
):
    made = json.loads((published / "runtime.json").read_text("utf-8"))
    (tmp_path / "runtime.json").write_text(json.dumps(made | wrong))
    shutil.copyfile(published / "host.py", tmp_path / "host.py")
    ended = subprocess.run(
        [sys.executable, "-I", tmp_path / "host.py"],
        env=inherited(),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )
    assert ended.returncode == 1
    assert next(iter(wrong.values())) in ended.stderr
    assert "Traceback" not in ended.stderr
