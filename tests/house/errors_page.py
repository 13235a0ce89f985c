"""Writes ``docs/errors.md`` from the kinds of problems of the API; run as ``python -m
tests.house.errors_page`` it rewrites the page."""

from __future__ import annotations

import os

import django
from django.utils import translation

from platform_site.settings.choice import choose
from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.api.problems import KINDS, RETRY_LATER

PAGE = APPLICATION_FOLDER / "docs" / "errors.md"
_INTRODUCTION = """\
# Errors of the API

Every error response is `application/problem+json` with `type`, `code`, `title`, `status` and
`detail`; [The API](api.md#problems) explains them. This page lists the codes: they are the same
in every language, and stay the same. An installation lists them at `/problems`.

A status without a code of its own gets the code of a similar one: other refusals are `invalid`,
other failures `internal`.

"""
_END = """
`errors` and `errorCodes` have sentences and codes by property or parameter; every 400 has both.
`Retry-After` is a header with the number of seconds to wait.

## Where in the code

The codes are in `platform_site/site/api/problems.py`. `python -m tests.house.errors_page` generates
this page from them, and `tests/site/api/test_every_problem.py` reaches each of them.
"""


def render() -> str:
    """Return the whole page."""
    head = "| Code | Status | Meaning | Members | What to do |\n|---|---|---|---|---|\n"
    with translation.override("en"):
        rows = "".join(f"| {' | '.join(_cells(code))} |\n" for code in KINDS)
    return f"{_INTRODUCTION}{head}{rows}{_END}"


def _cells(code: str) -> list[str]:
    kind = KINDS[code]
    members = [f"`{name}`" for name in kind.members]
    if code in RETRY_LATER:
        members.append("`Retry-After`")
    return [
        f"`{code}`",
        str(kind.status),
        f"{kind.title}.",
        ", ".join(members),
        str(kind.remedy),
    ]


if __name__ == "__main__":
    choose(os.environ)
    django.setup()
    PAGE.write_text(render(), encoding="utf-8")
