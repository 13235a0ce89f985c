"""The tutorials that make an app of one's own are followed word for word: each box with a
file name is saved, each command is typed, and prints what the page says behind it."""

from __future__ import annotations

import re

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT

TUTORIALS = ("adding-a-catalog.md", "processors.md")
STEP = re.compile(
    r"^(?:\*\*`(?P<file>[\w./-]+)`\*\*\n\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```",
    re.S | re.M,
)
TYPED = re.compile(r"(?P<line>.*?)(?:\s+# (?P<said>.*))?")


def steps(page):
    """Yield, in order, the file to save with its text, or the command with its result."""
    for step in STEP.finditer((ROOT / "docs" / page).read_text("utf-8")):
        if step["file"]:
            yield step["file"], step["text"]
        elif step["kind"] == "sh" and "__Sources__" not in step["text"]:
            for line in step["text"].splitlines():
                yield None, TYPED.fullmatch(line)


@pytest.mark.process
@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_works_word_for_word(page, reader):
    # What was checked here before is not checked again in the copy.
    reader.env["MYPY_CACHE_DIR"] = str(ROOT / ".mypy_cache")
    for file, step in steps(page):
        if file:
            path = reader.folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step, encoding="utf-8")
            continue
        told = reader.types(step["line"]) or ""
        assert (step["said"] or "") in told, (step["line"], told)


@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_saves_files_and_types_commands(page):
    found = list(steps(page))
    assert [file for file, _ in found if file and file.endswith(".py")]
    said = {step["said"] for file, step in found if not file}
    assert {"All checks passed", "Success"} <= said
