"""How texts get from the sources into the language files, and from there to Django."""

from __future__ import annotations

import gettext

import pytest

from platform_site.site.publishing import languages
from platform_site.site.publishing.languages import Domain

PYTHON = """\
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext


def f(n):
    return _("one") + gettext_lazy("two " "halves") + gettext_noop("three")


def g(n):
    return ngettext("%(count)s row", "%(count)s rows", n)
"""
TEMPLATE = """\
{% load i18n %}
<p>
    {% translate "From a template" %}
  <b title="{% translate 'In (brackets' %}">{{ name|default:_("In a filter") }}</b>
    {% blocktranslate count n=rows|length trimmed %}
        One of {{ n }}
    {% plural %}
        Many of {{ n }}
    {% endblocktranslate %}
{% comment %}{% translate "Not this" %}{% endcomment %}
</p>
"""


@pytest.fixture
def domain(tmp_path):
    """Return the catalogue of a small app below a temporary folder."""
    app = tmp_path / "app"
    (app / "templates").mkdir(parents=True)
    (app / "tests").mkdir()
    (app / "code.py").write_text(PYTHON, encoding="utf-8")
    (app / "templates" / "page.html").write_text(TEMPLATE, encoding="utf-8")
    (app / "tests" / "test_it.py").write_text('_("of a test")', encoding="utf-8")
    return Domain("app/locale", ("app",))


def texts(catalog):
    return {message.id for message in catalog if message.id}


def test_the_texts_of_code_and_templates_are_found(domain, tmp_path):
    assert texts(languages.extracted(domain, tmp_path)) == {
        "one",
        "two halves",
        "three",
        ("%(count)s row", "%(count)s rows"),
        "From a template",
        "In (brackets",
        "In a filter",
        ("One of %(n)s", "Many of %(n)s"),
    }


def test_a_translation_stays_and_what_no_source_says_goes(domain, tmp_path):
    path = domain.file("ru", tmp_path)
    catalog = languages.updated("ru", domain, tmp_path)
    catalog["one"].string = "один"
    catalog.add("of former times", "из прежних времён")
    languages.write(catalog, path)
    again = languages.updated("ru", domain, tmp_path)
    assert again["one"].string == "один"
    assert "of former times" not in texts(again)
    languages.write(again, path)
    first = path.read_bytes()
    languages.write(languages.updated("ru", domain, tmp_path), path)
    assert path.read_bytes() == first


def test_a_changed_text_is_asked_for_anew_and_not_guessed(domain, tmp_path):
    path = domain.file("de", tmp_path)
    catalog = languages.updated("de", domain, tmp_path)
    catalog["two halves"].string = "zwei Hälften"
    languages.write(catalog, path)
    changed = PYTHON.replace("halves", "halves!")
    (tmp_path / "app" / "code.py").write_text(changed, encoding="utf-8")
    again = languages.updated("de", domain, tmp_path)
    assert not again["two halves!"].string
    assert "fuzzy" not in path.read_text("utf-8")


def test_a_language_file_names_nobody_and_no_date(domain, tmp_path):
    path = domain.file("de", tmp_path)
    languages.write(languages.updated("de", domain, tmp_path), path)
    head, _, body = path.read_text("utf-8").partition("\n\n")
    names = {line.partition(":")[0].strip('"') for line in head.splitlines()[2:]}
    assert names == {
        "Language",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
        "Plural-Forms",
    }
    assert "#: app/code.py\n" in body


@pytest.fixture
def alone(domain, tmp_path, monkeypatch):
    """Let the small app be all there is, with a Russian translation."""
    monkeypatch.setattr(languages, "DOMAINS", (domain,))
    monkeypatch.setattr(languages, "APPLICATION_FOLDER", tmp_path)
    catalog = languages.updated("ru", domain, tmp_path)
    catalog["one"].string = "один"
    plural = catalog[("%(count)s row", "%(count)s rows")]
    plural.string = ("%(count)s строка", "%(count)s строки", "%(count)s строк")
    languages.write(catalog, domain.file("ru", tmp_path))
    return domain


def test_a_compiled_language_is_what_python_reads(alone, tmp_path):
    assert languages.compile_all(tmp_path / "out") == 1
    path = alone.file("ru", tmp_path / "out").with_suffix(".mo")
    with path.open("rb") as file:
        found = gettext.GNUTranslations(file)
    assert found.gettext("one") == "один"
    rows = [
        found.ngettext("%(count)s row", "%(count)s rows", count) % {"count": count}
        for count in (1, 3, 5, 11, 21)
    ]
    assert rows == ["1 строка", "3 строки", "5 строк", "11 строк", "21 строка"]
    assert found.gettext("three") == "three"


def test_the_same_language_is_compiled_to_the_same_bytes(alone, tmp_path):
    for name in ("first", "second"):
        languages.compile_all(tmp_path / name)
    paths = [
        alone.file("ru", tmp_path / name).with_suffix(".mo")
        for name in ("first", "second")
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert languages.compile_all(tmp_path / "first") == 0


def test_a_broken_language_file_is_named_in_a_sentence(alone, tmp_path):
    path = alone.file("ru", tmp_path)
    path.write_text(path.read_text("utf-8") + '\nmsgid "open\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"The language file .*django\.po is wrong"):
        languages.compile_all(tmp_path)


def test_what_an_app_of_ones_own_leaves_untranslated_is_a_warning(
    domain, tmp_path, monkeypatch
):
    monkeypatch.setattr(languages, "DOMAINS", ())
    monkeypatch.setattr(languages, "added_domains", lambda: [(domain, tmp_path)])
    told = languages.main(["messages"]).splitlines()
    assert told == [
        "Language files written; texts without a translation: 0.",
        "Warning: app has 16 without a translation.",
    ]
    assert domain.file("de", tmp_path).exists()
    assert languages.main(["compile"]) == "Language files compiled: 2."


def test_only_two_words_are_taken():
    with pytest.raises(SystemExit, match="messages"):
        languages.main(["translate"])
