"""Apps of one's own: which are refused at the start, and in which words."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from platform_site.settings import apps
from platform_site.settings.env import read_settings
from platform_site.settings.errors import SettingsError
from tests.site.host.processes import command, environment

PRODUCT = ("django.contrib.auth", "catalogs")


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Return what names apps that lie in a folder of the test's own."""

    def write(entries, **files):
        for name, text in files.items():
            path = tmp_path.joinpath(*name.split("__"))
            path.mkdir(parents=True)
            (path / "__init__.py").write_text(text, encoding="utf-8")
        given = {f"Platform__Apps__{n}": entry for n, entry in enumerate(entries)}
        effective = SimpleNamespace(settings=read_settings(given), apps_folder=tmp_path)
        installed = SimpleNamespace(
            PLATFORM_APPS=tuple(entries), INSTALLED_APPS=[*PRODUCT, *entries]
        )
        monkeypatch.setattr(apps, "active", lambda: effective)
        monkeypatch.setattr(apps, "settings", installed)

    monkeypatch.syspath_prepend(tmp_path)
    yield write
    for name in set(sys.modules) - BEFORE:
        if name.partition(".")[0].startswith("own_"):
            del sys.modules[name]


BEFORE = set(sys.modules)


def refusal():
    with pytest.raises(SettingsError) as refused:
        list(apps.checked_apps())
    return str(refused.value)


def test_apps_are_found_by_their_names(named):
    named(["own_one", "own_two.part"], own_one="", own_two="", own_two__part="")
    labels = {entry: config.label for entry, config in apps.checked_apps()}
    assert labels == {"own_one": "own_one", "own_two.part": "part"}


def test_a_name_that_no_module_has_is_refused_with_its_source_and_the_folder(
    named, tmp_path
):
    named(["own_gone"])
    assert refusal() == (
        "Platform:Apps holds 'own_gone' (variable Platform__Apps__0), which is not a "
        f"module that can be imported; put its folder into {tmp_path} "
        "(Platform:AppsPath), or correct the name."
    )


def test_what_fails_inside_an_app_is_named_and_not_the_app(named, tmp_path):
    named(["own_one"], own_one="\nimport own_missing_library\n")
    assert refusal() == (
        "Platform:Apps holds 'own_one' (variable Platform__Apps__0), which cannot be "
        f"imported: {tmp_path}/own_one/__init__.py, line 2: ModuleNotFoundError: "
        "No module named 'own_missing_library'."
    )


def test_an_error_in_the_code_of_an_app_is_reported_with_its_line(named, tmp_path):
    named(["own_one"], own_one="x = 1\ndef f(:\n")
    assert f"{tmp_path}/own_one/__init__.py, line 2: SyntaxError" in refusal()


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (["json"], "'json' (variable Platform__Apps__0), which is a module of Python"),
        (["catalogs"], "which is named twice or is part of the product; keep one"),
        (["own_one", "own_one"], "which is named twice"),
        (["own_two.auth"], "has the label 'auth', which the app 'django.contrib.auth'"),
        (["own_two.other"], "which cannot be imported: ModuleNotFoundError: No module"),
        (["own one"], "which is not a module that can be imported"),
        (["own_two.auth.Config"], "which cannot be imported: "),
    ],
)
def test_a_name_that_cannot_be_an_app_of_its_own_is_refused(named, entries, words):
    named(entries, own_one="", own_two="", own_two__auth="")
    assert words in refusal()


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "models.py",
            "import own_gone",
            "ModuleNotFoundError: No module named 'own_gone'",
        ),
        ("api.py", "urlpatterns = gone", "NameError: name 'gone' is not defined"),
    ],
)
def test_a_start_is_refused_where_an_app_fails_later(tmp_path, name, text, words):
    folder = tmp_path / "data" / "apps" / "brands"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / name).write_text(text, encoding="utf-8")
    env = environment(tmp_path / "data", Platform__Apps="brands")
    ended = command("startup", env=env)
    assert ended.returncode == 78
    assert ended.stderr.splitlines() == [
        "Platform:Apps holds 'brands' (variable Platform__Apps), which fails: "
        f"{folder / name}, line 1: {words}."
    ]
    assert not (tmp_path / "data" / "db").exists()
