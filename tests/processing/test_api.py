"""The paths of data processors, for other programs."""

from __future__ import annotations

import json

import pytest
from django.urls import path

from importer.runs.lock import import_lock
from platform_site.processing import registry
from platform_site.processing.api import paths_of
from platform_site.processing.processor import DataProcessor
from platform_site.urls import urlpatterns as site
from tests.catalogs.rows import boss
from tests.processing.processors import CountWords
from tests.processing.users import a_person, somebody_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
BASE = "/api/v1/Processors"
COUNT = f"{BASE}/CountWords"

# A path is made for what is registered when the server starts.
_path = paths_of(CountWords)
urlpatterns = [path("api/v1/Processors/CountWords", _path.callback), *site]


@pytest.fixture(autouse=True)
def known():
    with registry.registered(CountWords):
        yield


@pytest.fixture
def person(client):
    person = somebody_who_may(CountWords)
    client.force_login(person)
    return person


def post(client, data, url=COUNT, **headers):
    body = data if isinstance(data, str) else json.dumps(data)
    return client.post(url, body, content_type="application/json", headers=headers)


def test_the_list_names_what_the_caller_may_execute(client, person):
    assert client.get(BASE).json() == [
        {
            "name": "CountWords",
            "title": "Count words",
            "description": "Counts the words of a text.",
        }
    ]


def test_the_new_step_gives_the_input_with_its_defaults(client, person):
    assert client.get(COUNT).json() == {
        "fileId": None,
        "text": "one two",
        "atLeast": 1,
        "from": "2026-01-01",
        "breaks": False,
    }


def test_executing_gives_the_result_and_the_time_taken(client, person):
    answer = post(client, {"text": "a b c"})
    assert answer.status_code == 200
    assert answer.json()["words"] == 3
    assert answer.json()["askedBy"] == f"{person} by User"
    assert answer["Server-Timing"].startswith("execute;dur=")


def test_what_the_new_step_gave_can_be_sent_back(client, person):
    assert post(client, client.get(COUNT).json()).json()["words"] == 2


def test_the_zone_is_taken_from_its_header(client, person):
    answer = post(client, {}, **{"X-Time-Zone": "Asia/Tokyo"})
    assert answer.json()["zone"] == "Asia/Tokyo"


def test_without_the_right_it_is_forbidden(client):
    client.force_login(a_person())
    assert client.get(COUNT).status_code == 403
    assert post(client, {}).status_code == 403
    assert client.get(BASE).json() == []


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"atLeast": "many"}, "atLeast"),
        ({"unknown": 1}, "unknown"),
        ({"fileId": "x"}, "fileId"),
        ({"fileId": 7}, "fileId"),
        ({"fileId": "8a4a3b5e-6c1e-4b29-9d5c-0f3f0e9b6f11"}, "fileId"),
        ({"text": "a\u0000b"}, "text"),
    ],
)
def test_wrong_input_is_named_by_property(client, person, data, named):
    answer = post(client, data)
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [named]


@pytest.mark.parametrize("body", ["[]", "7", '"x"', "null"])
def test_an_input_that_is_no_object_is_refused(client, person, body):
    answer = post(client, body)
    assert answer.status_code == 400
    assert answer.json()["detail"] == "Send the input as one JSON object."


def test_an_invalid_state_and_a_failure_are_sentences(client, person):
    """OPEN-74."""
    answer = post(client, {"text": ""})
    assert (answer.status_code, answer.json()["detail"]) == (400, "Nothing to count.")
    answer = post(client, {"breaks": True})
    assert answer.status_code == 400
    assert "failed unexpectedly" in answer.json()["detail"]


def test_while_an_import_runs_it_is_a_conflict(client):
    client.force_login(boss())
    file = client.post("/api/v1/Files", {"file": csv_file()}).json()
    url = f"{BASE}/ImportItemsFromCsv"
    with import_lock("somebody", "an import"):
        answer = post(client, {"fileId": file["id"]}, url)
    assert answer.status_code == 409
    assert "in progress" in answer.json()["detail"]


def test_the_csv_story_over_the_api(client):
    from tests.catalogs.rows import a_folder, a_unit  # noqa: PLC0415

    client.force_login(boss())
    a_unit(code="pcs", name="Pieces")
    a_folder(code="FOOD", name="Food")
    url = f"{BASE}/ImportItemsFromCsv"
    file = client.post("/api/v1/Files", {"file": csv_file()}).json()
    first = post(client, {"fileId": file["id"]}, url).json()
    again = post(client, {"fileId": file["id"]}, url).json()
    assert (first["inserted"], again["inserted"], again["unchanged"]) == (2, 0, 2)
    answer = post(client, {}, url)
    assert (answer.status_code, answer.json()["detail"]) == (400, "No file chosen.")


def csv_file():
    from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: PLC0415

    content = b"code;name;unit;parent\nA1;Rice;pcs;FOOD\nA2;Tea;pcs;\n"
    return SimpleUploadedFile("items.csv", content, "text/csv")


def test_names_in_the_description_stand_for_one_thing_each():
    class Other(DataProcessor):
        class Input(CountWords.Input):
            pass

    names = {
        each._spectacular_annotation["component_name"]
        for each in (CountWords.Input, CountWords.Result, Other.Input)
    }
    assert names == {"CountWordsInput", "CountWordsResult", "OtherInput"}
