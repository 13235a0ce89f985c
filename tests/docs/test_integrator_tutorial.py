"""The tutorial for integrators is followed word for word, against a server."""

from __future__ import annotations

import shutil

import pytest

from tests.docs.test_tutorials import steps

PAGE = "tutorials/integrator.md"


@pytest.mark.process
def test_the_tutorial_works_word_for_word(reader):
    assert shutil.which("openssl"), "The tutorial makes a certificate with openssl."
    for file, step in steps(PAGE):
        if file:
            (reader.folder / file).write_text(reader.at_home(step), encoding="utf-8")
        elif not step["line"].startswith("export KEY"):
            told = reader.types(step["line"]) or ""
            assert (step["said"] or "") in told, (step["line"], told)


def test_the_tutorial_says_what_is_printed():
    found = list(steps(PAGE))
    assert len([file for file, _ in found if file]) == 7
    said = [step["said"] for file, step in found if not file and step["said"]]
    assert len(said) == 10
