"""Whatever is sent under /api is answered with a problem a program can read, and never
with a failure."""

from __future__ import annotations

import gzip

import pytest

from platform_site.records import services
from tests.site.api.callers import Caller

pytestmark = pytest.mark.django_db


def problem(answer, status):
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert {"type", "title", "status", "detail"} <= set(body)
    assert body["status"] == status
    assert body["detail"]
    assert ("errors" in body) == (status == 400)
    return body


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"1",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"code": "\\ud800", "name": "x"}',
        b'{"code": "\\u0000", "name": "x"}',
        b"\xff\xfe",
        b'{"code": NaN}',
        b'{"code": ' + b"9" * 5000 + b"}",
        b'{"code": {"$ref": "x"}, "name": ["x"]}',
        b'{"minorUnits": 1e400, "code": "x", "name": "x"}',
        b'{"minorUnits": 99999999999999999999, "code": "x", "name": "x"}',
    ],
    ids=lambda body: repr(body[:30]),
)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_body_that_is_no_object_of_the_catalog_is_refused(employee, method, body):
    made = employee.made("/Currencies", code="EUR", name="Euro")
    path = "/Currencies" if method == "POST" else f"/Currencies/{made['id']}"
    answer = employee.call(method, path, body, Content_Type="application/json")
    if method == "PATCH" and body == b"":
        # Nothing is asked for, and nothing done.
        assert answer.status_code == 200
    else:
        problem(answer, 400)


@pytest.mark.parametrize(
    "price", ["1e400", "1e-400", "-1e400", "1E3000000", '"1E5"', "true", "[]", '"NaN"']
)
def test_a_price_that_is_none_is_refused(employee, price):
    unit = employee.made("/UnitsOfMeasure", code="u", name="u")["id"]
    body = (
        '{"code": "A", "name": "A", "isFolder": false, "category": "goods", '
        f'"unitOfMeasureId": {unit}, "price": {price}}}'
    )
    found = problem(employee.post("/Items", body.encode()), 400)
    assert set(found["errors"]) == {"price"}


@pytest.mark.parametrize("key", ["1E30", "-1", "99999999999999999999", '"x"', "1.0"])
def test_a_reference_that_is_not_the_id_of_a_row_is_refused(employee, key):
    body = f'{{"code": "A", "name": "A", "isFolder": true, "parentId": {key}}}'
    found = problem(employee.post("/Items", body.encode()), 400)
    assert set(found["errors"]) == {"parentId"}


def test_a_packed_body_is_refused_where_none_is_taken(employee):
    body = gzip.compress(b'{"code": "a", "name": "a"}')
    answer = employee.post("/UnitsOfMeasure", body, Content_Encoding="gzip")
    assert "without Content-Encoding" in problem(answer, 415)["detail"]
    plain = b'{"code": "a", "name": "a"}'
    answer = employee.post("/UnitsOfMeasure", plain, Content_Encoding="identity")
    assert answer.status_code == 201


@pytest.mark.parametrize("path", ["/nothing", "/Items/abc", "/Items/1/nothing", "/a//"])
def test_an_unknown_path_is_said_to_be_one(employee, anonymous, path):
    problem(employee.get(path), 404)
    problem(anonymous.get(path), 404)


def test_a_number_no_row_can_have_is_no_row(employee):
    problem(employee.get("/Items/" + "9" * 30), 404)
    problem(employee.get("/Items/" + "9" * 5000), 404)


def test_a_method_the_path_has_not_is_refused_with_those_it_has(employee):
    answer = employee.delete("/Items")
    problem(answer, 405)
    assert set(answer["Allow"].split(", ")) >= {"GET", "POST"}
    problem(employee.call("TRACE", "/Items"), 405)


def test_head_is_get_without_a_body_and_options_names_the_methods(employee):
    assert employee.call("HEAD", "/Items").status_code == 200
    answer = employee.call("OPTIONS", "/Items")
    assert answer.status_code == 200
    assert "POST" in answer["Allow"]


def test_another_kind_of_body_is_refused(employee):
    for kind in ("text/xml", "application/x-www-form-urlencoded", "x"):
        answer = employee.post("/Items", b"<a/>", Content_Type=kind)
        problem(answer, 415)


def test_a_body_nobody_types_is_refused(employee):
    large = b'{"code": "' + b"x" * (11 * 1024 * 1024) + b'"}'
    problem(employee.post("/Items", large), 413)


def test_a_host_that_is_not_ours_is_refused(employee, settings):
    settings.ALLOWED_HOSTS = ["shop.example"]
    problem(employee.get("/Items", Host="evil.example"), 400)


def test_nobody_signed_in_and_no_right_are_two_things(anonymous, reader):
    answer = anonymous.post("/Items", {})
    problem(answer, 401)
    assert answer["WWW-Authenticate"].startswith("Bearer")
    problem(reader.post("/Items", {}), 403)


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer a b"},
        {"Authorization": "Bearer \x00"},
        {"Authorization": "Bearer é"},
        {"X-Api-Key": ""},
        {"X-Api-Key": "pk_00000000_" + "x" * 43},
        {"X-Api-Key": "é" * 60},
    ],
    ids=repr,
)
def test_credentials_that_are_none_are_refused(headers):
    problem(Caller(**headers).get("/Items"), 401)


def test_a_failure_is_reported_without_its_reasons(employee, monkeypatch, settings):
    def fail(**order):
        raise ZeroDivisionError("the secret of the house")

    monkeypatch.setattr(services, "create_record", fail)
    found = problem(employee.post("/Items", {}), 500)
    assert "secret" not in str(found)
    settings.DEBUG = True
    assert "secret" in problem(employee.post("/Items", {}), 500)["detail"]
