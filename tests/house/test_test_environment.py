"""No test touches a real installation, whatever its operator has exported."""

from __future__ import annotations

import ast

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.settings.known import KNOWN
from tests.environment import inherited, inherited_by_tests
from tests.site.host.processes import environment

STARTS = {"run", "Popen", "call", "check_call", "check_output"}
# The rule itself, and programs that only choose their settings module.
EXEMPT = {
    "tests/environment.py",
    "tests/benchmarks/pages.py",
    "tests/benchmarks/worker.py",
    "tests/house/errors_page.py",
    "tests/house/released_migrations.py",
    "tests/sql_server/written_sql.py",
}


def variables():
    names = [setting.variable for setting in KNOWN if not setting.is_family]
    return [*names, *(name.upper() for name in names), "DJANGO_SETTINGS_MODULE"]


@pytest.fixture
def poisoned(monkeypatch):
    """Export every setting, as beside a real installation."""
    for name in variables():
        monkeypatch.setenv(name, "/real/installation")


@pytest.mark.usefixtures("poisoned")
def test_no_setting_reaches_a_process_that_a_test_starts(tmp_path):
    given = environment(tmp_path)
    assert given.pop("Platform__DataPath") == str(tmp_path)
    assert "/real/installation" not in given.values()
    assert "/real/installation" not in inherited().values()
    # Of the tests' own database they say only where it is made.
    kept = {k for k, v in inherited_by_tests().items() if v == "/real/installation"}
    assert {name.casefold().partition("__")[0] for name in kept} <= {
        "provider",
        "connectionstrings",
    }


def trees():
    for path in sorted((APPLICATION_FOLDER / "tests").rglob("*.py")):
        name = path.relative_to(APPLICATION_FOLDER).as_posix()
        if name not in EXEMPT:
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def test_every_process_of_a_test_gets_an_explicit_environment():
    without = [
        f"{name}:{node.lineno}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "subprocess"
        and node.func.attr in STARTS
        and not any(given.arg == "env" for given in node.keywords)
    ]
    assert without == []


def test_no_test_takes_the_environment_as_it_finds_it():
    found = [
        f"{name}:{node.lineno}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in {"environ", "getenv"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    ]
    assert found == []
