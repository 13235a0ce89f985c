"""Writes ``docs/requirements.md`` from the sentences in `requirements.toml` and the tests
that cite their numbers: `python -m tests.house.requirements`."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT
from tests.house.test_house import project_files

PAGE = ROOT / "docs" / "requirements.md"
SENTENCES = Path(__file__).with_name("requirements.toml")
TITLES = {
    "import": "Importing, and what it rests on",
    "hosting": "Hosting",
    "detail": "Details",
}
NUMBER = r"(IMP|HOST|OPEN)-(\d+)"
# One number, or a range such as `IMP-172 to IMP-175` or `HOST-124..129`.
CITED = re.compile(rf"\b{NUMBER}(?:\s*(?:\.\.|\bto\b)\s*(?:\1-)?(\d+))?")
READ = {".py", ".html", ".js", ".css", ".toml", ".json", ".txt", ".md", ""}

_INTRODUCTION = """\
# Requirements

Comments, docstrings and tests cite requirements by number, such as `IMP-121`. This page
says what each number means and names the tests that cite it. `IMP` is about importing,
`HOST` about hosting, and `OPEN` about details of both.
"""

_END = """
## Where in the code

The sentences are in `tests/house/requirements.toml`. `make requirements` writes this page
from them and from the tests; `tests/house/test_requirements.py` fails when the page is
stale, when a cited number has no sentence, or when a sentence is cited nowhere.
"""


@cache
def sentences() -> dict[str, dict[str, str]]:
    """Return the sentences by number, in groups."""
    return tomllib.loads(SENTENCES.read_text(encoding="utf-8"))


def numbers_in(text: str) -> Iterator[str]:
    """Yield every number that a text cites, those inside of ranges too."""
    for kind, first, last in CITED.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{kind}-{number:0{len(first)}d}"


@cache
def cited() -> set[str]:
    """Return the numbers that any file of the project cites, but for the page itself."""
    own = {PAGE, SENTENCES, Path(__file__).resolve()}
    return {
        number
        for path in project_files()
        if path.suffix in READ and path not in own
        for number in numbers_in(path.read_text(encoding="utf-8", errors="replace"))
    }


@cache
def tests() -> dict[str, list[str]]:
    """Return the tests that cite each number, in the order of their files."""
    found = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path == Path(__file__).resolve():
            continue
        for name, text in _parts(path):
            for number in numbers_in(text):
                if name not in found[number]:
                    found[number].append(name)
    return found


def untested() -> list[str]:
    """Return the numbers that no test cites."""
    return [
        number
        for group in sentences().values()
        for number in group
        if number not in tests()
    ]


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the tests of a file with their source; what is outside of them is the file's."""
    module = str(path.relative_to(ROOT))
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            start = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
            yield f"{module}::{node.name}", "\n".join(lines[start : node.end_lineno])
            lines[start : node.end_lineno] = [""] * (node.end_lineno - start)
    yield module, "\n".join(lines)


def render() -> str:
    """Return the whole page."""
    page = [_INTRODUCTION]
    for group, title in TITLES.items():
        page.append(f"\n## {title}\n\n| Number | What holds | Tests |\n|---|---|---|\n")
        for number, sentence in sentences()[group].items():
            shown = "<br>".join(f"`{name}`" for name in tests().get(number, ()))
            page.append(f"| {number} | {sentence} | {shown or 'none'} |\n")
    missing = ", ".join(untested())
    page.append("\n## Without a test\n\n")
    page.append(
        f"No test cites these: {missing}.\n" if missing else "Every number has one.\n"
    )
    return "".join([*page, _END])


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
