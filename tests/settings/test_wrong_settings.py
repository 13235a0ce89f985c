"""Wrong settings, and the sentence each gives the operator."""

from __future__ import annotations

import pytest

from platform_site.settings.env import read_settings
from platform_site.settings.errors import SettingsError


def folder_with(tmp_path, text):
    (tmp_path / "appsettings.json").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("Demo__Seed", "yes", "true or false"),
        ("Demo__Seed", "2", "true or false"),
        ("Import__RunsToKeep", "many", "a whole number"),
        ("Import__RunsToKeep", "1.5", "a whole number"),
        ("Import__RunsToKeep", "1_000", "a whole number"),
        ("Import__RunsToKeep", "٣", "a whole number"),
        ("Import__RunsToKeep", "9" * 5000, "a whole number"),
        ("Import__RunsToKeep", "-1", "at least 0"),
        ("Import__MaxPackageSizeBytes", "0", "at least 1"),
        ("Platform__Server__SpoolBytes", "1000", "at least 67108864"),
        ("JwtOptions__Expires", "soon", "d.hh:mm:ss"),
        ("JwtOptions__Expires", "24:00:00", "d.hh:mm:ss"),
        ("JwtOptions__Expires", "00:61", "d.hh:mm:ss"),
        ("JwtOptions__Expires", "0", "more than nothing"),
        ("JwtOptions__Expires", "99999", "36,500"),
        ("JwtOptions__Expires", "-1", "d.hh:mm:ss"),
        ("FeatureManagement__Beta", "maybe", "true or false"),
        ("Logging__Format", "xml", "must be text or json"),
        ("Logging__Access", "some", "true or false"),
        ("Platform__Nodes", "2", "must be one or many"),
    ],
)
def test_a_wrong_type_is_named_with_key_value_and_source(variable, text, words):
    with pytest.raises(SettingsError) as raised:
        read_settings({variable: text})
    sentence = str(raised.value)
    assert variable.replace("__", ":") in sentence
    assert f"'{text}'" in sentence
    assert f"variable {variable}" in sentence
    assert words in sentence


def test_a_wrong_type_in_a_file_names_the_file(tmp_path):
    folder = folder_with(tmp_path, '{"Demo": {"Seed": 3}}')
    with pytest.raises(SettingsError, match=r"Demo:Seed is '3' \(appsettings\.json\)"):
        read_settings({}, folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"Provider": }', "line 1, column 14"),
        ('{\n  // note\n  "Provider" "x"\n}', "line 3, column 14"),
        ('{\n "a": 1 /* never closed\n}', "line 2, column 9"),
        ("", "line 1, column 1"),
        ("[1]", "one JSON object"),
        ('{"Provider": "a", "provider": "b"}', "provider twice"),
        ('{"Platform": {"Urls": "a"}, "platform": {"X": "b"}}', "platform twice"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_settings_file_is_named_with_its_place(tmp_path, text, words):
    folder = folder_with(tmp_path, text)
    with pytest.raises(SettingsError) as raised:
        read_settings({}, folder)
    assert str(folder / "appsettings.json") in str(raised.value)
    assert words in str(raised.value)


def test_a_settings_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "appsettings.json").write_bytes(b'{"Provider": "\xff"}')
    with pytest.raises(SettingsError, match="not UTF-8 text"):
        read_settings({}, tmp_path)


def test_a_secret_file_that_is_missing_or_empty_is_refused(tmp_path):
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    for name, words in (("none", "cannot be read"), ("empty", "is empty")):
        with pytest.raises(SettingsError, match=words):
            read_settings({"JwtOptions__Secret__FILE": str(tmp_path / name)})


def test_a_secret_given_twice_is_refused(tmp_path):
    (tmp_path / "secret").write_text("s" * 40, encoding="utf-8")
    environ = {
        "JwtOptions__Secret": "x",
        "JwtOptions__Secret__FILE": str(tmp_path / "secret"),
    }
    with pytest.raises(SettingsError, match="both set"):
        read_settings(environ)
