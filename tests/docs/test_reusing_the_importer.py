"""The page on reusing the importer, followed word for word from a folder outside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from platform_site.site.publishing import languages
from tests.environment import inherited

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reusing-the-importer.md").read_text("utf-8")
EXAMPLE = ROOT / "docs/examples/importer"
BLOCK = re.compile(
    r"(?:(?P<how>Write|Append to) `(?P<name>[^`]+)`:)?\n\n```(?P<kind>\w+)\n(?P<text>.*?)```",
    re.DOTALL,
)
OUTCOME = re.compile(r"^[A-Z]\w+ +\d+$", re.MULTILINE)


def steps():
    return [found.groupdict() for found in BLOCK.finditer(PAGE)]


def script():
    """Return the page as a script: its commands, and its files where it writes them."""
    lines = ["set -eu"]
    for step in steps():
        if step["kind"] == "sh":
            lines.append(step["text"])
        elif step["name"]:
            into = ">" if step["how"] == "Write" else ">>"
            lines.append(f"cat {into} {step['name']} <<'END'\n{step['text']}END\n")
    return "\n".join([*lines, 'python -c "import importer; print(importer.__file__)"'])


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    options = ["--no-build-isolation", "--wheel-dir", folder, ROOT / "importer"]
    subprocess.run([*build, *options], check=True, env=inherited())
    [made] = folder.glob("*.whl")
    return made


@pytest.mark.process
def test_the_wheel_has_what_the_importer_needs_and_no_more(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = {name for name in file.namelist() if ".dist-info/" not in name}
    own = {name for name in names if name.startswith("importer/")}
    assert own == names
    kinds = {Path(name).suffix for name in names}
    assert kinds == {".py", ".typed", ".mo", ".html", ".css", ".js"}
    assert {"importer/py.typed", "importer/locale/de/LC_MESSAGES/django.mo"} <= names
    assert "importer/migrations/0001_initial.py" in names
    assert "importer/hatch_build.py" not in names


def built(builder, source, folder):
    """Build a distribution in this process, and return its file."""
    [made] = builder(str(source)).build(directory=str(folder), versions=["standard"])
    return Path(made)


def contents(wheel):
    """Return the files of a wheel except its record of them, each with its checksum."""
    with zipfile.ZipFile(wheel) as file:
        return {
            one.filename: one.CRC
            for one in file.infolist()
            if not one.filename.endswith("/RECORD")
        }


@pytest.fixture
def bare_checkout(tmp_path):
    """Return the importer as in a fresh clone: no language is compiled yet."""
    for name in ("importer", "docs"):
        compiled = shutil.ignore_patterns("*.mo", "__pycache__")
        shutil.copytree(ROOT / name, tmp_path / "checkout" / name, ignore=compiled)
    return tmp_path / "checkout" / "importer"


def test_a_wheel_is_the_same_from_a_bare_checkout_and_from_a_source_distribution(
    bare_checkout, tmp_path
):
    archive = built(SdistBuilder, bare_checkout, tmp_path)
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "unpacked", filter="data")
    [unpacked] = (tmp_path / "unpacked").iterdir()
    assert (unpacked / "docs/example/manage.py").exists()
    from_archive = built(WheelBuilder, unpacked, tmp_path / "from-archive")
    from_checkout = built(WheelBuilder, bare_checkout, tmp_path / "from-checkout")
    assert "importer/locale/ru/LC_MESSAGES/django.mo" in contents(from_archive)
    assert contents(from_checkout) == contents(from_archive)


def test_a_build_compiles_the_languages_as_the_project_does(bare_checkout, tmp_path):
    built(WheelBuilder, bare_checkout, tmp_path)
    languages.compile_all(to=tmp_path)
    for code in languages.LANGUAGES:
        compiled = f"locale/{code}/LC_MESSAGES/django.mo"
        by_project = (tmp_path / "importer" / compiled).read_bytes()
        assert (bare_checkout / compiled).read_bytes() == by_project


@pytest.mark.process
def test_the_page_leads_to_a_second_run_that_changes_nothing(wheel, tmp_path):
    environment = {
        **inherited(),
        "PATH": os.pathsep.join(
            [str(Path(sys.executable).parent), inherited()["PATH"]]
        ),
        # What the wheel needs is taken from here, and nothing from the network.
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_FIND_LINKS": str(wheel.parent),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "DJANGO_SUPERUSER_PASSWORD": "unused",
    }
    done = subprocess.run(
        ["bash", "-c", script()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    expected = [
        line for s in steps() if s["kind"] == "text" for line in s["text"].split("\n")
    ]
    assert OUTCOME.findall(done.stdout) == [line for line in expected if line]
    assert done.stdout.strip().endswith(".venv/lib/" + imported_from())
    assert "WARNINGS" not in done.stderr


def imported_from():
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return f"{version}/site-packages/importer/__init__.py"


@pytest.mark.parametrize("name", [s["name"] for s in steps() if s["how"] == "Write"])
def test_the_example_project_is_what_the_page_makes(name):
    [step] = [step for step in steps() if step["name"] == name]
    assert (EXAMPLE / name).read_text("utf-8") == step["text"]


@pytest.mark.process
def test_the_example_project_needs_no_new_migration(tmp_path):
    command = [sys.executable, EXAMPLE / "manage.py", "makemigrations", "--check"]
    environment = {
        **inherited(),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
