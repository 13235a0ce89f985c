"""Every command of the README and the documentation is run, page by page, in a copy of
the project, as its reader would run it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT
from tests.docs.test_tutorials import TUTORIALS
from tests.first_start import started_once

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
LANGUAGES = {"", "sh", "json", "text", "python", "dockerfile"}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
FENCE = re.compile(r"^([ \t]*)(```|~~~)(\w*)", re.M)
SAVED = re.compile(r"Save (?:it|this) as `([\w.-]+)`")
# What nobody types: it shows the form of a command, with what the reader has to choose.
FORM = re.compile(r"[\[<]|\b(?:FILE|NAME|PACKAGE|ZONE)\b(?!\.db)")
TYPED = re.compile(
    r"^\s*(?:\$ |make |manage\.py |export |curl |\.?/\S+ |\.venv/)", re.M
)


def shown(path):
    return str(path.relative_to(ROOT))


def blocks(page, language):
    found = BLOCK.findall(page.read_text("utf-8"))
    return [text for name, text in found if name == language]


def lines(page):
    """Return every line of a page that is for a shell, comments cut off."""
    whole = "".join(blocks(page, "sh"))
    joined = re.sub(r"\\\n|\n(?=\s+\[)", " ", whole).splitlines()
    bare = [re.sub(r"(^|\s+)#\s.*", "", line).strip() for line in joined]
    return [line for line in bare if line]


def commands(page):
    return [line for line in lines(page) if not FORM.search(line)]


def forms(page):
    return [line for line in lines(page) if FORM.search(line)]


# Tests of their own follow these word for word; their readers are elsewhere.
FOLLOWED = {*TUTORIALS, "integrator.md", "reusing-the-importer.md"}
WITH_COMMANDS = [page for page in PAGES if commands(page) and page.name not in FOLLOWED]
FORMS = [form for page in PAGES if page.name not in FOLLOWED for form in forms(page)]


@pytest.mark.process
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=shown)
def test_every_command_of_a_page_works(page, reader):
    """HOST-007, HOST-135."""
    text = page.read_text("utf-8")
    for name, saved in zip(SAVED.findall(text), blocks(page, "json"), strict=False):
        (reader.folder / name).write_text(saved, encoding="utf-8")
    if shown(page) != "README.md":
        # Only the README begins with nothing; the pages it leads to say so.
        reader.env["Platform__DataPath"] = "data"
        has_demo = re.search("make demo|remove_demo", text)
        seeded = {"Demo__Seed": "true"} if has_demo else {}
        started_once(reader.folder / "data", **seeded)
        if "/api/v1/" in "".join(commands(page)):
            reader.signs_in()
    for line in commands(page):
        reader.types(line)


def test_the_readme_and_the_first_pages_have_commands():
    names = {shown(page) for page in WITH_COMMANDS}
    assert {"README.md", "docs/demo.md", "docs/first-package.md"} <= names


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_what_is_for_a_shell_says_so(page):
    text = page.read_text("utf-8")
    fences = FENCE.findall(text)
    assert {(indent, mark) for indent, mark, _ in fences} <= {("", "```")}
    assert {name for _, _, name in fences} <= LANGUAGES
    plain = [*blocks(page, ""), *blocks(page, "text")]
    assert [line for block in plain for line in TYPED.findall(block)] == []


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_command_names_options_that_it_has(form):
    name = re.search(r"manage\.py (\w+)", form)[1]
    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("manage.py", name)
    assert set(re.findall(r"--[\w-]+", form)) <= set(parser._option_string_actions)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_command_that_is_named_exists(page):
    named = set(re.findall(r"manage\.py (\w+)", page.read_text("utf-8")))
    assert named <= set(get_commands())


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_every_make_target_that_is_named_exists(page):
    named = set(re.findall(r"`make ([a-z-]+)`", page.read_text("utf-8")))
    text = Path(ROOT / "Makefile").read_text("utf-8")
    assert named <= set(re.findall(r"^([a-z-]+):", text, re.M))
