"""The description of the API: complete, without warnings, served from this site, and
not at all where the setting says so."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.urls import get_resolver
from jsonschema import Draft202012Validator

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.api import documentation

DESCRIPTION = "/swagger/v1/swagger.json"


class OnceGenerator:
    """A generator that waits a moment whether another thread generates as well."""

    begun = 0
    another = threading.Event()

    def get_schema(self, **_):
        type(self).begun += 1
        if self.begun > 1:
            self.another.set()
        self.another.wait(0.5)
        return {"paths": {}}


@pytest.fixture
def described(client):
    return client.get(DESCRIPTION).json()


def operations(described):
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield path, method, operation


def test_the_description_is_made_without_a_warning():
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=io.StringIO())


def test_those_who_ask_at_once_right_after_a_start_are_all_answered(monkeypatch):
    """The library's extensions come up with the first description, half so to others."""
    monkeypatch.setattr(documentation, "SchemaGenerator", OnceGenerator)
    documentation._made_description.cache_clear()
    try:
        with ThreadPoolExecutor(4) as callers:
            asked = [callers.submit(documentation._description) for _ in range(4)]
            answers = [one.result() for one in asked]
    finally:
        documentation._made_description.cache_clear()
    assert answers == [{"paths": {}}] * 4
    assert OnceGenerator.begun == 1


def test_every_path_of_the_site_is_described(described):
    """HOST-136, HOST-138."""

    def paths(patterns, under=""):
        for pattern in patterns:
            path = f"{under}{pattern.pattern}"
            if hasattr(pattern, "url_patterns"):
                yield from paths(pattern.url_patterns, path)
            elif path.startswith("api/"):
                yield "/" + re.sub(r"<(\w+:)?(\w+)>", "{}", path)

    served = set(paths(get_resolver().url_patterns))
    known = {re.sub(r"{\w+}", "{}", path) for path in described["paths"]}
    assert served == known
    assert {path for path in known if not f"{path}/".startswith("/api/v1/")} == set()


def test_every_operation_has_an_id_a_tag_and_words(described):
    ids = []
    for path, method, operation in operations(described):
        ids.append(operation["operationId"])
        assert operation["tags"] != ["api"], (path, method)
        assert operation.get("summary"), (path, method)
    assert len(ids) == len(set(ids))


def test_every_problem_is_described_as_one(described):
    for path, method, operation in operations(described):
        for code, answer in operation["responses"].items():
            if code >= "400":
                assert set(answer["content"]) == {"application/problem+json"}, (
                    path,
                    method,
                )


def test_a_row_is_described_with_its_state_and_what_can_be_expanded(described):
    schemas = described["components"]["schemas"]
    order, line = schemas["SalesOrder"], schemas["SalesOrderLine"]
    optional = {"counterparty", "warehouse", "currency"}
    assert set(order["properties"]) - set(order["required"]) == optional
    assert {"version", "createdAt", "modifiedAt", "total"} <= set(order["required"])
    assert set(line["properties"]) - set(line["required"]) == {"item"}
    assert "version" not in schemas["SalesOrderRequest"]["properties"]
    assert {"$code"} <= set(str(schemas["SalesOrderLineRequest"]).split("'"))
    page = schemas["PaginatedSalesOrderList"]
    assert set(page["required"]) == {"next", "results"}
    read = described["paths"]["/api/v1/SalesOrders/{id}"]["get"]
    assert {"200", "304", "406", "410"} <= set(read["responses"])
    assert set(read["responses"]["200"]["headers"]) == {"ETag"}
    made = described["paths"]["/api/v1/SalesOrders"]["post"]["responses"]["201"]
    assert set(made["headers"]) == {"ETag", "Idempotent-Replayed", "Location"}


def test_the_description_is_compressed(client):
    answer = client.get(DESCRIPTION, headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert len(answer.content) < 300_000


def test_the_description_is_openapi_3_1_without_what_only_3_0_knew(described):
    assert described["openapi"].startswith("3.1.")
    assert described["servers"] == [{"url": "/", "description": "This installation."}]
    assert described["info"]["license"]["identifier"] == "MIT"
    assert '"nullable"' not in json.dumps(described)
    for name, schema in described["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert f'"#/components/schemas/{name}"' in json.dumps(described), name


def test_names_have_one_spelling(described):
    tags = {tag["name"]: tag["description"] for tag in described["tags"]}
    for path, _method, operation in operations(described):
        assert re.fullmatch(r"[a-z]+([A-Z]\w*)?", operation["operationId"])
        assert "_" not in operation["operationId"]
        names = re.findall(r"{(\w+)}", path)
        assert set(names) <= {"id", "runId", "name", "deliveryId"}, path
        here = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"]
        assert sorted(here) == sorted(names)
        # A tag without a text of its own is described by its name.
        assert all(tags[tag] != tag for tag in operation["tags"]), operation["tags"]


def test_every_property_that_is_always_answered_is_required(described):
    schemas = described["components"]["schemas"]
    for name in ("ImportRun", "OwnAccount", "Job", "User", "ChangeEvent", "File"):
        schema = schemas[name]
        assert set(schema["properties"]) == set(schema["required"]), name
    assert schemas["PaginatedJobList"]["required"] == [
        *("count", "next", "previous", "results")
    ]
    assert schemas["LoginRequest"]["required"] == ["password", "userName"]


def test_the_headers_of_answers_are_described(described):
    paths = described["paths"]
    started = paths["/api/v1/Import/run"]["post"]["responses"]
    assert set(started["202"]["headers"]) == {"Idempotent-Replayed", "Location"}
    refused = paths["/api/v1/Auth/login"]["post"]["responses"]
    assert set(refused["429"]["headers"]) == {"Retry-After"}
    assert set(refused["401"]["headers"]) == {"WWW-Authenticate"}
    assert set(refused["503"]["headers"]) == {"Retry-After"}


def test_the_ways_to_sign_in_are_described(described):
    schemes = described["components"]["securitySchemes"]
    assert set(schemes) == {"token", "apiKey", "cookieAuth"}


def test_the_page_is_found_with_a_stroke_at_the_end_as_well(client):
    assert client.get("/swagger/", follow=True).redirect_chain == [("/swagger", 302)]


def test_the_page_needs_nothing_from_elsewhere(client):
    """HOST-056, HOST-137, HOST-149."""
    page = client.get("/swagger")
    script = client.get("/swagger?script")
    text = page.content.decode() + script.content.decode()
    assert re.findall(r"https?://", text) == []
    named = re.findall(r'(?:href|src)="/static/([^"]+)"', text)
    assert len(named) >= 3
    assert [name for name in named if finders.find(name) is None] == []
    assert "'self'" in page["Content-Security-Policy"]


def test_the_setting_turns_it_off(tmp_path):
    asked = (
        "import django; django.setup()\n"
        "from django.test import Client\n"
        "for path in ('/swagger', '/swagger/v1/swagger.json'):\n"
        "    print(Client().get(path).status_code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=APPLICATION_FOLDER,
        env={
            "DJANGO_SETTINGS_MODULE": "platform_site.settings.development",
            "Platform__DataPath": str(tmp_path),
            "Platform__Swagger__Enabled": "false",
            "PATH": "",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["404", "404"], done.stderr
