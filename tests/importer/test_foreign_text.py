"""Text from other people is visible in terminal and log, and never controls them."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import unicodedata

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from importer.package.printable_text import cut, printable
from platform_site.accounts.models import User
from tests.builders import a_package, code

pytestmark = pytest.mark.django_db

# A colour, a direction, a line end, a space without width, a mark beyond 16 bits.
EVIL = "a\x1b[31mb\u202ec\u2028d\u200be\u2066f\x9bg\U000e0041"
SHOWN = (
    r"a\u001b[31mb\u202ec\u2028d\u200be\u2066f\u009bg"
    r"\udb40\udc41"
)
TURNED = "b\u202ec"


def is_visible(text):
    kinds = {unicodedata.category(c) for c in text if c != "\n"}
    return not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_invisible_characters_are_escaped():
    assert printable(EVIL) == SHOWN
    assert json.loads(f'"{SHOWN}"') == EVIL
    assert printable("half\ud800") == r"half\ud800"


@pytest.mark.parametrize("text", ["", "Große Ж 日本", "a b", "👩🏽", "\u2009thin"])
def test_visible_characters_are_unchanged(text):
    assert printable(text) == text


def test_a_text_is_cut_to_the_length_of_a_message():
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"


def command(*words, **options):
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(*words, stdout=out, stderr=err, verbosity=0, **options)
    except (SystemExit, CommandError) as ended:
        return out.getvalue() + err.getvalue(), str(ended)
    return out.getvalue() + err.getvalue(), ""


@pytest.fixture
def evil_file(tmp_path):
    package = a_package("evil").with_step("UnitsOfMeasure")
    package.item("u", code=EVIL, name=EVIL, **{EVIL: 1})
    package.with_step("Items")
    package.folder(EVIL, EVIL, parentId=code(EVIL)).folder(TURNED, TURNED)
    file = tmp_path / f"{EVIL}.json"
    file.write_bytes(package.as_bytes())
    return file


def test_the_summary_of_a_run_escapes_it(evil_file):
    said, _ = command("import_package", str(evil_file), "--continue-on-error")
    assert SHOWN[:20] in said
    assert is_visible(said)


def test_a_report_on_the_terminal_escapes_it_and_is_the_same_json(evil_file):
    said, _ = command(
        "import_package", str(evil_file), "--continue-on-error", "--format=json"
    )
    assert is_visible(said)
    assert TURNED in {item["id"] for item in json.loads(said)["items"]}


def test_the_user_name_printed_by_a_command_is_escaped(evil_file):
    name = "x\u202ey"
    user = User.objects.get(username="admin")
    user.pk, user.username = None, name
    user.save()
    said, _ = command("import_package", str(evil_file), "--dry-run", f"--user={name}")
    assert r"as x\u202ey" in said
    assert is_visible(said)


def test_a_log_entry_is_one_line_without_control_characters():
    line = settings.LOGGING["formatters"]["line"]
    made = logging.config.DictConfigurator(
        {"version": 1, "formatters": {"line": line}}
    ).configure_formatter(line)
    record = logging.LogRecord(
        "platform.importer", logging.INFO, __file__, 1, "%s", (EVIL + "\nforged",), None
    )
    text = made.format(record)
    assert is_visible(text)
    assert text.endswith(SHOWN + r"\u000aforged")


def test_a_traceback_in_the_log_keeps_its_lines_indented():
    line = settings.LOGGING["formatters"]["line"]
    made = logging.config.DictConfigurator({"version": 1}).configure_formatter(line)
    try:
        raise ValueError(EVIL)
    except ValueError as trouble:
        information = (ValueError, trouble, trouble.__traceback__)
    record = logging.LogRecord(
        "x", logging.ERROR, __file__, 1, "Broke off", (), information
    )
    lines = made.format(record).split("\n")
    assert lines[1] == "  Traceback (most recent call last):"
    assert lines[-1] == f"  ValueError: {SHOWN}"
