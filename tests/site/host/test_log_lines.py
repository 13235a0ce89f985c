"""The lines of the log as text and as JSON, whatever is in what they tell."""

from __future__ import annotations

import datetime
import json
import logging

import pytest

from platform_site.log_context import logged_with
from platform_site.settings.env import read_settings
from platform_site.settings.log import logging_settings
from platform_site.site.host.log_lines import JsonFormatter, LineFormatter

HOSTILE = 'eve\n2026-01-01 00:00:00,000 INFO platform: "admin" \x1b[31m\u202e\u2028\x85'
KEY = "pk_0123abcd_" + "k" * 43
TOKEN = "eyJ" + "h" * 20 + ".eyJ" + "p" * 30 + "." + "s" * 43


@pytest.fixture
def text_line():
    settings = logging_settings(read_settings({}))["formatters"]["line"]
    formatter = LineFormatter(settings["format"], style=settings["style"])
    return formatter.format


def json_entry(record):
    line = JsonFormatter().format(record)
    assert len(line.splitlines()) == 1
    return json.loads(line)


def record_of(message, *values, failure=None, **more):
    trouble = (type(failure), failure, failure.__traceback__) if failure else None
    record = logging.LogRecord(
        "platform.test", logging.INFO, "file", 1, message, values, trouble
    )
    record.__dict__.update(more)
    return record


def raised():
    try:
        raise ValueError(f"wrong: {HOSTILE}")
    except ValueError as failure:
        return failure


def test_a_name_forges_no_line(text_line):
    line = text_line(record_of("%s signed in", HOSTILE))
    assert len(line.splitlines()) == 1
    assert "\\u000a2026-01-01" in line
    assert "\\u001b" in line
    message = json_entry(record_of("%s signed in", HOSTILE))["message"]
    # Read as JSON it is the name as it was; the line itself shows none of it.
    assert message == f"{HOSTILE} signed in"


def test_a_traceback_stays_readable_as_text_and_is_one_member_of_json(text_line):
    record = record_of("It failed", failure=raised())
    lines = text_line(record).splitlines()
    assert lines[1] == "  Traceback (most recent call last):"
    assert "raise ValueError" in "".join(lines)
    # The failure's own text has a line end, too.
    assert all(line.startswith("  ") for line in lines[1:])
    record = record_of("It failed", failure=raised())
    assert "Traceback (most recent call last):\n" in json_entry(record)["exception"]


def test_a_line_says_which_request_and_run_it_belongs_to(text_line):
    with logged_with(request_id="r1", run_id="u1", user_name=lambda: "eve"):
        line = text_line(record_of("Done"))
        entry = json_entry(record_of("Done"))
    assert line.endswith(" INFO platform.test [request=r1 run=u1]: Done")
    assert (entry["requestId"], entry["runId"], entry["user"]) == ("r1", "u1", "eve")
    assert text_line(record_of("Done")).endswith(" INFO platform.test: Done")
    assert set(json_entry(record_of("Done"))) == {"time", "level", "logger", "message"}


def test_a_line_that_names_its_run_itself_belongs_to_it(text_line):
    record = record_of("Done")
    record.run_id = "u1"
    assert text_line(record).endswith(" INFO platform.test [run=u1]: Done")
    assert json_entry(record)["runId"] == "u1"


def test_the_time_of_json_is_utc():
    record = record_of("Done", created=0.25)
    assert json_entry(record)["time"] == "1970-01-01T00:00:00.250+00:00"
    now = json_entry(record_of("Done"))["time"]
    age = datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(now)
    assert datetime.timedelta() <= age < datetime.timedelta(minutes=1)


@pytest.mark.parametrize("secret", [KEY, TOKEN])
def test_keys_and_tokens_are_masked_wherever_they_were_pasted(text_line, secret):
    for write in (text_line, JsonFormatter().format):
        line = write(record_of("Not Found: /%s/", secret))
        assert secret not in line
        assert secret[20:40] not in line
        assert secret[:3] in line


def test_other_members_of_an_entry_stand_beside_the_message():
    entry = json_entry(record_of("Done", fields={"bytes": 7, "user": "bob"}))
    assert (entry["bytes"], entry["user"]) == (7, "bob")
