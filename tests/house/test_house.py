"""The rules of the house that no tool checks."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.environment import inherited

LONGEST_FILE = 300
# Spelled in two parts, so that this file does not break its own rules.
FOREIGN = [
    "/wo" + "rk/",
    "/ro" + "ot/",
    "/tm" + "p/",
    "py" + "pi.org",
    "python" + "hosted",
    "registry.npm" + "js",
]
# What brings a program to one kind of platform, by its path.
DEPLOYMENT = re.compile(
    r"(^|/)(docker|container)file|compose[^/]*\.ya?ml$|(^|/)deploy"
    r"|(^|/)(helm|charts|k8s|kubernetes|ansible|terraform|puppet|systemd)/"
    r"|(^|/)(procfile|chart\.yaml|jenkinsfile|fly\.toml|app\.ya?ml)$"
    r"|(^|/)\.(github/workflows|circleci)/|(gitlab-ci|pipelines?)\.ya?ml$"
    r"|\.(tf|bicep|nomad|service)$",
    re.I,
)


def project_files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=APPLICATION_FOLDER,
        env=inherited(),
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("This is no git checkout, so the project's files are not known.")
    paths = [APPLICATION_FOLDER / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def shown(path):
    return str(path.relative_to(APPLICATION_FOLDER))


def modules():
    return [
        path
        for path in project_files()
        # What a tutorial asks its reader to write is theirs.
        if path.suffix == ".py" and not {"migrations", "examples"} & {*path.parts}
    ]


def test_no_module_is_longer_than_a_reader_can_keep_in_mind():
    lengths = {
        shown(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules()
    }
    assert {name for name, count in lengths.items() if count > LONGEST_FILE} == set()


def test_every_module_says_what_passes_through_it():
    texts = {shown(path): path.read_text(encoding="utf-8") for path in modules()}
    without = {
        name
        for name, text in texts.items()
        # An empty `__init__.py` only marks its folder as a package.
        if not (name.endswith("__init__.py") and not text.strip())
        and not ast.get_docstring(ast.parse(text))
    }
    assert without == set()


def test_every_command_has_a_test_that_names_it():
    tests = "\n".join(
        path.read_text(encoding="utf-8")
        for path in modules()
        if shown(path).startswith("tests/")
    )
    commands = {
        path.stem
        for path in modules()
        if path.parent.name == "commands" and path.stem != "__init__"
    }
    assert {"serve", "startup"} <= commands
    assert {name for name in commands if f'"{name}"' not in tests} == set()


def test_no_file_names_a_place_outside_the_project():
    found = set()
    for path in project_files():
        text = path.read_bytes().decode("utf-8", errors="replace")
        found |= {(shown(path), place) for place in FOREIGN if place in text}
    assert found == set()


@pytest.mark.parametrize(
    "path", ["keys/jwt-signing.key", "data/keys/jwt-signing.key", "db/platform.db"]
)
def test_what_an_installation_keeps_is_never_committed(path):
    """HOST-145: the data folder is the checkout, or `data` in it, unless set."""
    assert not [one for one in project_files() if one.name == "jwt-signing.key"]
    ignored = subprocess.run(
        ["git", "check-ignore", "--quiet", path],
        cwd=APPLICATION_FOLDER,
        env=inherited(),
        check=False,
    )
    assert ignored.returncode == 0


def test_nothing_here_deploys_to_a_platform_but_examples():
    """HOST-005: the examples are text to copy, and nothing here needs or runs them."""
    found = [path for path in project_files() if DEPLOYMENT.search(shown(path))]
    assert {path.parent for path in found} == {APPLICATION_FOLDER / "deploy"}
    assert [shown(path) for path in found if path.stat().st_mode & 0o111] == []
    assert [shown(path) for path in found if path.suffix in (".py", ".sh")] == []


def test_every_room_of_the_platform_has_its_layer():
    settings = tomllib.loads((APPLICATION_FOLDER / "pyproject.toml").read_text("utf-8"))
    [layers] = [
        contract["layers"]
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    listed = set(re.findall(r"[\w.]+", " ".join(layers)))
    platform = APPLICATION_FOLDER / "platform_site"
    rooms = {
        ".".join(path.relative_to(APPLICATION_FOLDER).with_suffix("").parts)
        for folder in (platform, platform / "site")
        for path in folder.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    # The site's rooms are listed one by one; Django asks for the others.
    known = {"platform_site.site", "platform_site.models", "platform_site.migrations"}
    unlisted = (
        {room for room in rooms if not room.endswith("__init__")} - listed - known
    )
    assert not unlisted
