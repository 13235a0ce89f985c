"""The languages of a published folder: compiled, without their sources (HOST-016)."""

from __future__ import annotations

import gettext
import shutil

import pytest

from platform_site.publishing.folder import _compile_languages
from platform_site.publishing.refusal import CannotPublishError

SOURCE = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#, python-format
msgid "%(count)s rows"
msgstr "%(count)s Zeilen"
"""
pytestmark = pytest.mark.skipif(
    shutil.which("msgfmt") is None, reason="There is no msgfmt here."
)


def language(folder, text):
    source = folder / "de" / "LC_MESSAGES" / "django.po"
    source.parent.mkdir(parents=True)
    source.write_text(text, encoding="utf-8")
    return source


def test_each_language_is_compiled_and_its_source_left_out(tmp_path):
    source = language(tmp_path / "locale", SOURCE)
    _compile_languages(tmp_path / "locale")
    assert [path.name for path in source.parent.iterdir()] == ["django.mo"]
    words = gettext.translation("django", tmp_path / "locale", ["de"])
    assert words.gettext("%(count)s rows") == "%(count)s Zeilen"


def test_a_translation_that_would_break_a_page_is_refused(tmp_path):
    language(tmp_path / "locale", SOURCE.replace("%(count)s Z", "%(cout)s Z"))
    with pytest.raises(CannotPublishError, match=r"locale/de/LC_MESSAGES/django\.po"):
        _compile_languages(tmp_path / "locale")
