"""Every command of the README and the documentation is run, page by page, in a copy of
the project, as its reader would run it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT
from tests.host.test_serve import free_port
from tests.house.test_house import project_files

LIMIT_SECONDS = 180
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
SAVED = re.compile(r"Save (?:it|this) as `([\w.-]+)`")
PYTHON = ".venv/bin/python"
# What stands for something the reader has to choose.
PLACEHOLDER = re.compile(r"[\[<…]|\b[A-Z]{3,}\b(?!=)")


def shown(path):
    return str(path.relative_to(ROOT))


def blocks(page, language):
    found = BLOCK.findall(page.read_text("utf-8"))
    return [text for name, text in found if name == language]


def commands(page):
    """Return the lines of a page that a shell can run, comments cut off."""
    lines = "".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    bare = [line.partition("  #")[0].strip() for line in lines]
    wanted = (PYTHON, "manage.py", "make ", "export ")
    return [
        line
        for line in bare
        if line.startswith(wanted) and not PLACEHOLDER.search(line)
    ]


WITH_COMMANDS = [page for page in PAGES if commands(page)]


class Reader:
    """Somebody who types what a page says into one terminal."""

    def __init__(self, folder):
        self.folder = folder
        inherited = {
            name: text
            for name, text in os.environ.items()
            if not re.match(
                r"(aspnetcore_|provider|connection|django_|make)", name, re.I
            )
        }
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.env = {**inherited, "ASPNETCORE_URLS": self.url}

    def types(self, line):
        words = shlex.split(line)
        if words[0] == "export":
            self.env.update(word.split("=", 1) for word in words[1:])
        elif words[0] == "make":
            self.makes(words[1])
        elif words[-1] == "serve":
            self.serves([PYTHON, *words[words.index("manage.py") :]])
        else:
            arguments = [PYTHON, *words[words.index("manage.py") :]]
            done = self.runs(arguments)
            assert done.returncode == 0, (line, done.stdout, done.stderr)

    def makes(self, target):
        # Everything is installed, in the environment that runs the tests.
        make = ["make", "--old-file", ".venv/.installed"]
        if target == "demo":
            self.serves([*make, target])
            return
        done = self.runs([*make, "--dry-run", target])
        assert done.returncode == 0, done.stderr

    def runs(self, arguments):
        return subprocess.run(
            arguments,
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )

    def serves(self, arguments):
        """Serve until the address is printed, then end as Ctrl-C does."""
        trouble = self.folder / "stderr.txt"
        with trouble.open("w", encoding="utf-8") as stderr:
            process = subprocess.Popen(
                arguments,
                cwd=self.folder,
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                start_new_session=True,
            )
        with process:
            try:
                said = [process.stdout.readline() for _ in range(2)]
                os.killpg(process.pid, signal.SIGINT)
                said.append(process.stdout.read())
            finally:
                process.kill()
        assert self.url in "".join(said), trouble.read_text("utf-8")
        assert "Sign in as admin" in "".join(said)


@pytest.fixture
def reader(tmp_path):
    folder = tmp_path / "project"
    for path in project_files():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (folder / ".venv").unlink(missing_ok=True)
    (folder / ".venv").symlink_to(sys.prefix)
    return Reader(folder)


@pytest.mark.process
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=shown)
def test_every_command_of_a_page_works(page, reader):
    for name, text in zip(
        SAVED.findall(page.read_text("utf-8")), blocks(page, "json"), strict=False
    ):
        (reader.folder / name).write_text(text, encoding="utf-8")
    if shown(page) != "README.md":
        # Only the README begins with nothing; the pages it leads to say so.
        reader.env["Platform__DataPath"] = "data"
        reader.types(f"{PYTHON} manage.py startup")
        if re.search("make demo|remove_demo", page.read_text("utf-8")):
            reader.types(f"{PYTHON} manage.py seed_demo")
    for line in commands(page):
        reader.types(line)


def test_the_readme_and_the_first_pages_have_commands():
    names = {shown(page) for page in WITH_COMMANDS}
    assert {"README.md", "docs/demo.md", "docs/first-package.md"} <= names


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_command_that_is_named_exists(page):
    named = set(re.findall(r"manage\.py (\w+)", page.read_text("utf-8")))
    assert named <= set(get_commands())


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_make_target_that_is_named_exists(page):
    named = set(re.findall(r"`make ([a-z-]+)`", page.read_text("utf-8")))
    text = Path(ROOT / "Makefile").read_text("utf-8")
    assert named <= set(re.findall(r"^([a-z-]+):", text, re.M))
