"""Packages as the body of a request, plain and packed by gzip."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.builders import units
from tests.importer.api.refusals import refused

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.importer.api.urls"),
]
PACKAGE = "application/vnd.platform.package+json"
LIMIT = 2000


def sent(calls, content, query="", kind=PACKAGE, **headers):
    path = f"/api/v1/Import/run{query}"
    return calls.client.generic("POST", path, content, kind, headers=headers)


def packed(calls, content, query="", **more):
    return sent(calls, content, query, **{"Content-Encoding": "gzip", **more})


def test_it_is_run(calls):
    run = calls.ended(sent(calls, units("a", "b").as_bytes()))
    assert (run["status"], run["counts"]["Inserted"]) == ("Completed", 2)
    again = calls.ended(calls.upload(units("a", "b")))
    assert again["counts"]["Unchanged"] == 2


def test_its_options_are_in_the_query(calls):
    content = units("a").item("unit:b", code="a", name="taken").as_bytes()
    run = calls.ended(sent(calls, content, "?dryRun=true&continueOnError=true"))
    assert (run["dryRun"], run["continueOnError"]) == (True, True)
    assert run["counts"]["Failed"] == 1


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?dryrun=true", ["dryrun", "dryRun"]),
        ("?dryRun=perhaps", ["dryRun"]),
        ("?dryRun=true&dryRun=false", ["2 times"]),
        ("?file=x", ["file"]),
        ("?package=demo-company", ["package"]),
    ],
)
def test_a_wrong_option_is_refused(calls, query, words):
    refused(sent(calls, units("a").as_bytes(), query), 400, *words)


def test_the_other_bodies_have_their_options_inside(calls):
    body = json.dumps({"package": "demo-company"})
    json_answer = sent(calls, body, "?dryRun=true", "application/json")
    refused(json_answer, 400, "dryRun", "in the body")


def test_json_is_a_package_if_it_has_its_format(calls):
    content = units("a").as_bytes()
    run = calls.ended(sent(calls, content, "?dryRun=true", "application/json"))
    assert (run["dryRun"], run["counts"]["Inserted"]) == (True, 1)


def test_lines_of_the_body_are_named(calls):
    content = b'{\n "format": "platform-import/1",\n "colour": 1}'
    run = calls.ended(sent(calls, content))
    assert "colour" in run["report"]["diagnostics"][0]["path"]


@pytest.mark.parametrize("kind", [PACKAGE, "application/json"])
def test_a_packed_body_is_unpacked(calls, kind):
    codes = [f"u{number}" for number in range(300)]
    content = units(*codes).as_bytes()
    half = len(content) // 2
    # Two members after each other are one content.
    body = gzip.compress(content[:half]) + gzip.compress(content[half:])
    run = calls.ended(packed(calls, body, kind=kind))
    assert run["counts"]["Inserted"] == 300


@pytest.mark.parametrize("kind", [PACKAGE, "application/json"])
def test_what_unpacks_to_too_much_is_refused(calls, kind, importer_settings):
    importer_settings(MAX_PACKAGE_SIZE_BYTES=LIMIT)
    bomb = gzip.compress(units("a").as_bytes() + b" " * 3_000_000)
    assert len(bomb) < 10_000
    refused(packed(calls, bomb, kind=kind), 413)


def test_a_body_at_the_limit_is_accepted_and_one_byte_more_is_not(
    calls, importer_settings
):
    importer_settings(MAX_PACKAGE_SIZE_BYTES=LIMIT)
    content = units("a").as_bytes()
    whole = content + b" " * (LIMIT - len(content))
    refused(sent(calls, whole + b" "), 413, f"{LIMIT:,} bytes")
    refused(packed(calls, gzip.compress(whole + b" ")), 413, f"{LIMIT:,} bytes")
    run = calls.ended(packed(calls, gzip.compress(whole)))
    assert run["status"] == "Completed"


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        gzip.compress(units("a").as_bytes())[:-5],
        gzip.compress(units("a").as_bytes()) + b"more",
    ],
    ids=["not packed", "cut off", "with more behind"],
)
def test_damaged_gzip_is_refused(calls, body):
    refused(packed(calls, body), 400, "gzip")


def test_another_encoding_is_refused(calls):
    content = units("a").as_bytes()
    refused(sent(calls, content, **{"Content-Encoding": "br"}), 415, "gzip")


@pytest.mark.parametrize("query", ["", "?dryRun=true"])
def test_an_empty_body_is_refused(calls, query):
    for answer in (sent(calls, b"", query), packed(calls, gzip.compress(b""), query)):
        refused(answer, 400, "empty")


def test_a_package_that_is_too_large_for_json_is_told_how_it_goes(calls):
    content = units("a").as_bytes() + b" " * 1_100_000
    refused(sent(calls, content, kind="application/json"), 413, "as a file")


def test_a_refused_body_leaves_no_file_behind(
    calls, importer_settings, settings, tmp_path
):
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    importer_settings(MAX_PACKAGE_SIZE_BYTES=LIMIT)
    refused(sent(calls, b" " * (LIMIT + 1)), 413)
    refused(sent(calls, units("a").as_bytes(), "?dryRun=x"), 400)
    assert list(tmp_path.iterdir()) == []
    calls.ended(sent(calls, units("a").as_bytes()))
    assert list(tmp_path.iterdir()) == []
