"""What the page for tables refuses, each with a sentence."""

from __future__ import annotations

import pytest

from importer.models import ImportRun, TableSource
from tests.importer import background
from tests.importer.admin_page.conftest import PAGE, Visitor, told
from tests.importer.admin_page.table_visitor import (
    SEVERAL,
    TABLE,
    TableVisitor,
    problems,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def guest(admin):
    """Return a visitor who is the administrator."""
    yield TableVisitor(admin)
    background.finish_runs()


def test_what_is_missing_is_said_and_nothing_starts(guest):
    text = guest.choose(SEVERAL, target="Warehouses")
    text = guest.shown(text, property=["code", "", ""])
    assert problems(text) == ["No column is chosen for Name, which every row needs."]
    assert 'value="dry-run" disabled' in text
    assert "No column is chosen for Name" in told(guest.send(text, "dry-run"), 400)
    text = guest.shown(text, **{"constant-name": "Store"})
    assert problems(text) == []
    text = guest.shown(text, property=["name", "name", "code"])
    assert "“code”, “name” are chosen for the same property" in problems(text)[0]
    assert "the same property" in told(guest.send(text, "dry-run"), 400)
    assert not ImportRun.objects.exists()


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"%PDF-1.7", "a.csv", "neither CSV nor XLSX"),
        (b"", "a.csv", "The file is empty"),
        (b"\n\n", "a.csv", "is empty"),
        (b"PK\x03\x04 no workbook", "a.xlsx", "workbook"),
        (b";".join(b"c%d" % n for n in range(300)) + b"\n", "a.csv", "more than 200"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_a_sentence(guest, data, name, said):
    text = guest.choose(data, name)
    assert said in " ".join(problems(text))
    assert 'value="dry-run"' not in text


def test_a_table_that_is_no_longer_kept_is_to_be_chosen_again(guest):
    answer = guest.client.get(TABLE, {"file": "0" * 64})
    assert "no longer kept" in told(answer, 200)
    answer = guest.client.post(TABLE, {"action": "dry-run", "file": "0" * 64})
    assert "choose it again" in told(answer, 404)


def test_a_wrong_name_or_address_of_a_source_is_refused(guest):
    text = guest.choose(SEVERAL, target="Warehouses")
    assert "Name: must be 1 to 60 letters" in told(guest.send(text, "save"), 400)
    answer = guest.send(text, "save", name="lager", url="http://10.0.0.1/")
    assert "https://" in told(answer, 400)
    assert not TableSource.objects.exists()


@pytest.mark.parametrize(
    "forged",
    [
        {"encoding": "hex"},
        {"encoding": "nothing"},
        {"delimiter": '"'},
        {"delimiter": "\n"},
        {"decimal": "x"},
        {"date_format": "%s"},
        {"date_format": "DD.MM"},
        {"sheet": "nothing"},
        {"target": "Nothing"},
        {"target": "RecalculateCosts"},
        {"property": ["a", "b", "lines.x"]},
        {"property": ["code"]},
        {"header": ["x"]},
        {"key": ["nothing", "lines"]},
        {"more": "nothing"},
        {"constant-nothing": "x", "constant-code": "\0"},
        {"on_missing": "explode"},
        {"source": "\0"},
        {"version": "x"},
        {"file": "x"},
        {"action": "explode"},
        {"time_zone": "Nowhere"},
    ],
    ids=str,
)
@pytest.mark.parametrize("action", ["show", "dry-run", "save"])
def test_a_forged_form_gets_a_sentence(guest, forged, action):
    text = guest.choose(SEVERAL, target="Warehouses")
    answer = guest.send(text, **{"action": action, "name": "lager", **forged})
    assert answer.status_code in (200, 302, 400, 404), answer.content


def test_nobody_but_administrators_opens_it(guest, clerk):
    other = TableVisitor(clerk("view_item", "add_item"))
    assert other.client.get(TABLE).status_code == 403
    assert other.client.post(TABLE, {"action": "save"}).status_code == 403
    template = f"{PAGE}/template?target=Items"
    assert other.client.get(template).status_code == 403
    assert Visitor().client.get(TABLE).status_code == 302
