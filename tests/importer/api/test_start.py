"""Starting runs over HTTP: both forms of the request, and all kinds of wrong
requests."""

from __future__ import annotations

from unittest import mock

import pytest
from django.db import OperationalError

from catalogs.models import Currency
from importer.models import ImportRun
from importer.runs import background, history
from importer.services import EngineStopped, LockUnusable
from tests.builders import a_package, model_of, units
from tests.importer.api.refusals import refused

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.importer.api.urls"),
]
LIMIT = 2000


def of_size(size):
    content = units("a").as_bytes()
    return content + b" " * (size - len(content))


def test_an_uploaded_package_is_run(calls):
    answer = calls.upload(units("a", "b"))
    run_id = answer.json()["runId"]
    assert answer["Location"] == f"/api/v1/Import/runs/{run_id}"
    run = calls.ended(answer)
    assert (run["runId"], run["status"], run["dryRun"]) == (run_id, "Completed", False)
    assert run["counts"]["Inserted"] == 2
    assert run["startedBy"] == "admin"


def test_one_upload_dry_run_then_imported_gives_the_same_objects(calls):
    package = units("a", "b")
    planned = calls.ended(calls.upload(package, dryRun="true"))
    assert planned["dryRun"] is True
    assert not model_of("UnitsOfMeasure").objects.exists()
    done = calls.ended(calls.upload(package, dryRun="false"))
    assert planned["counts"] == done["counts"]
    assert [i["id"] for i in planned["report"]["items"]] == [
        i["id"] for i in done["report"]["items"]
    ]
    assert planned["report"]["items"][0]["rowId"] is None
    assert done["report"]["items"][0]["rowId"] is not None


def test_an_embedded_package_is_run_by_its_name(calls):
    body = {"package": "demo-company", "dryRun": True, "continueOnError": True}
    run = calls.ended(calls.post("run", body))
    assert (run["package"], run["origin"]) == ("demo-company", "demoSeed")
    assert (run["dryRun"], run["continueOnError"]) == (True, True)
    assert run["status"] == "Completed"


def test_valid_objects_are_imported_beside_invalid_ones_on_request(calls):
    package = units("a", "b").item("unit:c", code="a", name="taken")
    run = calls.ended(calls.upload(package, continueOnError="True"))
    assert run["counts"]["Failed"] == 1
    assert model_of("UnitsOfMeasure").objects.count() == 2


@pytest.mark.parametrize(
    ("headers", "fields", "hour"),
    [
        ({}, {}, 0),
        ({"X-Time-Zone": "Asia/Tokyo"}, {}, 15),
        ({}, {"timeZone": "Asia/Tokyo"}, 15),
        ({"X-Time-Zone": "UTC"}, {"timeZone": "Asia/Tokyo"}, 15),
    ],
)
def test_the_zone_comes_from_form_or_header(calls, headers, fields, hour):
    answer = calls.upload(units("a"), headers=headers, **fields)
    calls.ended(answer)
    zone = "Asia/Tokyo" if hour else "UTC"
    assert ImportRun.objects.get().time_zone == zone


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        ({}, 400, "package"),
        ({"package": ""}, 400, "package"),
        ({"package": None}, 400, "package"),
        ({"package": 7.5}, 400, "package"),
        ({"package": ["a"]}, 400, "package"),
        ({"package": "a\0b"}, 400, "package"),
        ({"package": "a\ud800"}, 400, ""),
        ({"package": "no-such-package"}, 404, "no-such-package"),
        ({"package": "demo-company", "dryRun": "true"}, 400, "dryRun"),
        ({"package": "demo-company", "dryRun": 1}, 400, "dryRun"),
        ({"package": "demo-company", "dryRun": None}, 400, "dryRun"),
        ({"package": "demo-company", "continueOnError": []}, 400, "continueOnError"),
        ({"package": "demo-company", "timeZone": "Mars/Base"}, 400, "Mars/Base"),
        ({"package": "demo-company", "timeZone": "../../etc"}, 400, "timeZone"),
        ({"package": "demo-company", "dryrun": True}, 400, "dryrun"),
        ({"package": "demo-company", "\ud800": True}, 400, ""),
        ({"package": "demo-company", "file": "x"}, 400, "file"),
        ([], 400, ""),
        ("text", 400, ""),
        (None, 400, ""),
    ],
    ids=str,
)
def test_a_wrong_json_body_is_refused_with_its_property(calls, body, status, named):
    refused(calls.post("run", body), status, named)


def test_a_wrong_form_is_refused_with_its_field(calls):
    def form(**fields):
        return calls.client.post("/api/v1/Import/run", fields, format="multipart")

    refused(form(), 400, "file")
    refused(form(file="no file but a text"), 400, "file")
    refused(form(package="demo-company"), 400, "package", "JSON")
    refused(calls.upload(units("a"), package="demo-company"), 400, "package")
    refused(calls.upload(b""), 400, "file")
    refused(calls.upload(units("a"), dryRun="yes"), 400, "dryRun")
    refused(calls.upload(units("a"), dryRun="on"), 400, "dryRun")
    refused(calls.upload(units("a"), speed="high"), 400, "speed")
    refused(calls.upload(units("a"), timeZone="Nowhere"), 400, "timeZone", "Nowhere")
    header = {"X-Time-Zone": "Nowhere"}
    refused(calls.upload(units("a"), headers=header), 400, "X-Time-Zone", "Nowhere")


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"package": ', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"package": ' + b"9" * 5000 + b"}", "application/json", 400),
        (b"", "application/json", 400),
        (b"", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=b", 400),
        (b"package=demo-company", "application/x-www-form-urlencoded", 415),
        (b"<package/>", "application/xml", 415),
        (b"x", "", 415),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(calls, content, kind, status):
    path = "/api/v1/Import/run"
    refused(calls.client.generic("POST", path, content, content_type=kind), status)


def test_two_files_are_refused(calls):
    boundary = b"--b\r\nContent-Disposition: form-data; name=file; filename=f.json"
    body = (boundary + b"\r\n\r\n{}\r\n") * 2 + b"--b--\r\n"
    kind = "multipart/form-data; boundary=b"
    answer = calls.client.generic("POST", "/api/v1/Import/run", body, content_type=kind)
    refused(answer, 400, "file", "one file")


def test_a_file_at_the_limit_is_accepted_and_one_byte_more_is_not(
    calls, importer_settings
):
    """IMP-335, OPEN-55."""
    importer_settings(MAX_PACKAGE_SIZE_BYTES=LIMIT)
    refused(calls.upload(of_size(LIMIT + 1)), 413, f"{LIMIT:,} bytes")
    assert calls.ended(calls.upload(of_size(LIMIT)))["status"] == "Completed"


def test_a_refused_upload_leaves_no_file_behind(
    calls, importer_settings, settings, tmp_path
):
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    importer_settings(MAX_PACKAGE_SIZE_BYTES=LIMIT)
    answers = [calls.upload(of_size(LIMIT + 1)), calls.upload(units("a"), dryRun="?")]
    assert [answer.status_code for answer in answers] == [413, 400]
    assert list(tmp_path.iterdir()) == []
    calls.ended(calls.upload(units("a")))
    assert list(tmp_path.iterdir()) == []


def test_a_body_that_is_far_too_long_is_not_read(calls, importer_settings):
    importer_settings(MAX_PACKAGE_SIZE_BYTES=LIMIT)
    for kind in ("multipart/form-data; boundary=b", "application/json"):
        answer = calls.client.generic(
            "POST",
            "/api/v1/Import/run",
            b"",
            content_type=kind,
            CONTENT_LENGTH=str(LIMIT + 2_000_000),
        )
        refused(answer, 413, "too large" if kind.endswith("json") else "Split it")


def test_a_body_without_a_length_is_refused(calls):
    answer = calls.client.generic(
        "POST",
        "/api/v1/Import/run",
        b"",
        content_type="multipart/form-data; boundary=b",
        HTTP_TRANSFER_ENCODING="chunked",
        CONTENT_LENGTH="",
    )
    refused(answer, 411, "Content-Length")


def test_invalid_json_is_a_failed_run(calls):
    run = calls.ended(calls.upload(b'{\n  "format": oops}'))
    assert (run["status"], run["hasErrors"]) == ("Failed", True)
    (said,) = run["report"]["diagnostics"]
    assert (said["severity"], said["path"]) == ("Error", "$")
    assert "line 2" in said["message"]
    assert "column 13" in said["message"]
    assert (run["package"], run["version"], run["origin"]) == (None, None, None)


def test_a_second_start_is_refused_during_a_run(calls, gate):
    first = calls.upload(units("a"))
    gate.wait_for_a_run()
    for second in (
        calls.upload(units("b")),
        calls.upload(units("b"), dryRun="true"),
        calls.post("run", {"package": "demo-company"}),
    ):
        assert second.status_code == 409
        assert "started by admin" in second.content.decode()
    gate.open()
    assert calls.ended(first)["status"] == "Completed"


@pytest.mark.parametrize(
    ("place", "trouble", "said"),
    [
        (history.RunRecord, OperationalError("the secret of the disk"), "database"),
        (background.ThreadEngine, LockUnusable("lock", OSError(13, "x")), "lock"),
        (background.ThreadEngine, EngineStopped(), "stopping"),
        (background.ThreadEngine, OSError(5, "secret"), "couldn't store the package"),
    ],
)
def test_server_problems_give_503(calls, place, trouble, said):
    name = "_begin" if place is history.RunRecord else "start"
    with mock.patch.object(place, name, side_effect=trouble):
        answer = calls.upload(units("a"))
    refused(answer, 503, said)
    assert "secret" not in answer.content.decode()


def test_invalid_objects_of_an_upload_are_in_the_report(calls):
    package = a_package().with_step("Currencies").item("c", code="EUR")
    run = calls.ended(calls.upload(package))
    assert run["report"]["items"][0]["message"].startswith("steps[0].items[0].name: ")
    assert not Currency.objects.exists()


def body_of(calls, text):
    return calls.client.generic(
        "POST", "/api/v1/Import/run", text, content_type="application/json"
    )


def test_a_duplicate_key_in_the_body_is_refused_by_name(calls):
    """IMP-256: a dry run must never be mistaken for a real one."""
    twice = '{"package": "demo-company", "dryRun": true, "dryRun": false}'
    refused(body_of(calls, twice), 400, "dryRun", "twice")
    deep = '{"package": "demo-company", "x": [{"a": 1, "\\u202ea": 2, "a": 3}]}'
    refused(body_of(calls, deep), 400, "twice")


def test_a_duplicate_field_in_the_form_is_refused_by_name(calls):
    answer = calls.upload(units("a"), dryRun=["true", "false"])
    refused(answer, 400, "dryRun", "The form contains this field twice; send it once.")


def test_similar_properties_and_packages_are_suggested(calls):
    answer = calls.post("run", {"package": "demo-company", "dryrun": True})
    refused(answer, 400, "dryrun", 'Did you mean \\"dryRun\\"?')
    answer = calls.post("run", {"package": "demo-compny"})
    refused(answer, 404, 'Did you mean \\"demo-company\\"?')


def test_an_unknown_time_zone_is_refused_everywhere(calls):
    """OPEN-28: localtime would mean another day on another machine."""
    for zone in ("localtime", "Factory", "../etc/passwd", "europe/berlin"):
        body = {"package": "demo-company", "timeZone": zone}
        refused(calls.post("run", body), 400, "timeZone", "There is no time zone")
        answer = calls.upload(units("a"), headers={"X-Time-Zone": zone})
        refused(answer, 400, "There is no time zone")
