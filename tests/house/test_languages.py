"""The languages are complete: whatever people read is there in each of them."""

from __future__ import annotations

import re

import pytest
from babel.messages.plurals import get_plural
from django.conf import settings

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.publishing.languages import DOMAINS, LANGUAGES, extracted, read

AGAIN = "; run `make messages`, and translate what is empty"
NAMED = re.compile(r"%\((\w+)\)|\{(\w+)\}")
POSITIONAL = re.compile(r"%[ds]")


@pytest.fixture(
    scope="module",
    params=[(domain, code) for domain in DOMAINS for code in LANGUAGES],
    ids=lambda each: f"{each[0].folder}-{each[1]}",
)
def catalogue(request):
    """Return a domain, a language, and its catalogue as it lies in the sources."""
    domain, code = request.param
    return domain, code, read(domain.file(code), code)


def messages(catalog):
    return [message for message in catalog if message.id]


def forms(message):
    return [message.string] if isinstance(message.string, str) else message.string


def named(text):
    """Return the names that are put into a text, besides JSON written in it."""
    return {one or other for one, other in NAMED.findall(text)}


def test_every_language_of_the_settings_has_its_files():
    assert [code for code, _name in settings.LANGUAGES] == ["en", *LANGUAGES]


def test_a_language_file_has_exactly_the_texts_of_the_sources(catalogue):
    domain, _code, catalog = catalogue
    there = {message.id for message in messages(catalog)}
    wanted = {message.id for message in messages(extracted(domain))}
    assert wanted - there == set(), AGAIN
    assert there - wanted == set(), AGAIN
    assert not catalog.obsolete


def test_every_text_is_translated(catalogue):
    _domain, code, catalog = catalogue
    count = get_plural(code).num_plurals
    missing = [
        message.id
        for message in messages(catalog)
        if not all(form.strip() for form in forms(message))
        or (message.pluralizable and len(message.string) != count)
        or message.fuzzy
    ]
    assert missing == [], AGAIN


def test_a_translation_keeps_what_is_put_into_the_text(catalogue):
    _domain, _code, catalog = catalogue
    for message in messages(catalog):
        several = message.pluralizable
        texts = message.id if several else (message.id,)
        wanted = set().union(*map(named, texts))
        for form in forms(message):
            # Where there is one of something its number may go without saying.
            few = several and form is not forms(message)[-1]
            assert named(form) <= wanted if few else named(form) == wanted, form
            order = [POSITIONAL.findall(text) for text in texts]
            assert POSITIONAL.findall(form) in order, form


def test_a_translation_keeps_the_space_around_the_text(catalogue):
    _domain, _code, catalog = catalogue
    for message in messages(catalog):
        text = message.id[0] if message.pluralizable else message.id
        for form in forms(message):
            assert form[0].isspace() == text[0].isspace(), text
            assert form[-1].isspace() == text[-1].isspace(), text


def test_no_text_hides_in_a_formatted_string():
    """The tools that collect texts don't look inside of them."""
    hidden = re.compile(r"\{(?:_|n?gettext|pgettext)\(")
    folders = [APPLICATION_FOLDER / name for each in DOMAINS for name in each.sources]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(paths) > 300
    assert [p.name for p in paths if hidden.search(p.read_text("utf-8"))] == []
