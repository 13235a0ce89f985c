"""The links of a Markdown page, and where they lead."""

from __future__ import annotations

import re
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)")
FENCED = re.compile(r"```.*?```", re.S)


def links(page: Path) -> list[tuple[str, str]]:
    """Return file and section of each link to another place of the documentation; the
    file is empty for the page itself."""
    found = LINK.findall(FENCED.sub("", page.read_text("utf-8")))
    return [link for link in found if not re.match(r"[a-z]+:", link[0])]


def dead_files(page: Path) -> list[str]:
    """Return the files that links of a page name and that don't exist."""
    return [name for name, _ in links(page) if not (page.parent / name).exists()]


def dead_sections(page: Path) -> list[tuple[str, str]]:
    """Return the links of a page to a section that doesn't exist."""
    return [
        (name, section)
        for name, section in links(page)
        if section and section not in sections(page.parent / name if name else page)
    ]


def sections(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as they are made where it is shown."""
    if not page.is_file():
        return set()
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.M)
    bare = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in bare}
