"""The failures of a table: each has the line and column of the table, never a path of
the package made from it (IMP-177, OPEN-73)."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogs.models import Item
from catalogs.processors import csv_table, failures
from catalogs.processors.failures import RowFailure, TablePlaces
from catalogs.processors.import_items_from_csv import ImportItemsFromCsv
from importer.models import ImportRun
from platform_site.processing.errors import InvalidStateError
from tests.catalogs.processors.test_import_items_from_csv import (
    HEADER,
    SAMPLE,
    counts,
    run,
)
from tests.catalogs.rows import a_folder, a_unit, boss
from tests.processing.users import somebody_who_may

pytestmark = pytest.mark.django_db
PAGE = "/admin/processors/ImportItemsFromCsv"


@pytest.fixture
def world(db):
    a_unit(code="pcs", name="Pieces")
    a_folder(code="FOOD", name="Food")


def places(result):
    return [(one["line"], one["column"]) for one in result["failures"]]


def refused(content):
    with pytest.raises(InvalidStateError) as refusal:
        run(content)
    return [(one.path, one.message) for one in refusal.value.problems]


def test_every_failure_of_every_line_has_line_and_column(world):
    result = run(SAMPLE + "A3;x;sack;NONE\nA4;Salt;pcs;\n\nA5;;pcs;\n")
    assert counts(result) == {"inserted": 3, "failed": 2}
    assert places(result) == [(4, "unit"), (4, "parent"), (7, "name")]
    assert all(one["message"] for one in result["failures"])
    assert "sack" in result["failures"][0]["message"]
    assert result["failuresNotListed"] == 0
    assert "steps[" not in str(result)


def test_a_similar_code_is_suggested_at_line_and_column(world):
    (unit, parent) = run(HEADER + "A3;Salt;PCS;FODO\n")["failures"]
    assert (unit["line"], unit["column"]) == (2, "unit")
    assert unit["message"].endswith('the code "PCS"; did you mean "pcs"?')
    assert parent["message"].endswith('the code "FODO"; did you mean "FOOD"?')


def test_the_message_is_the_first_failure(world):
    result = run(HEADER + "A3;Salt;sack;\nA4;Salt;sack;\n")
    first = result["failures"][0]
    assert result["message"] == f"line 2, unit: {first['message']}"


def test_a_row_over_several_lines_is_located_at_its_first_line(world):
    result = run(HEADER + 'A1;"Rice\n\nbrown";sack;\nA2;Tea;sack;\n')
    assert places(result) == [(2, "unit"), (5, "unit")]


def test_a_refusal_by_the_services_has_its_line_too(world):
    result = run(SAMPLE, user=somebody_who_may(ImportItemsFromCsv))
    assert places(result) == [(2, None), (3, None)]
    assert result["message"].startswith("line 2: ")
    assert "may not add" in result["message"]


def test_failures_beyond_the_limit_are_only_counted(world, monkeypatch):
    monkeypatch.setattr(failures, "MAX_LISTED", 2)
    rows = "".join(f"A{n};x;sack;NONE\n" for n in range(5))
    result = run(HEADER + rows)
    assert places(result) == [(2, "unit"), (2, "parent"), (3, "unit"), (3, "parent")]
    assert (result["failed"], result["failuresNotListed"]) == (5, 3)


def test_a_property_without_a_column_keeps_its_name():
    table = TablePlaces([2, 5], {"lines": "amounts"})
    assert table.failure(1, "category", "wrong") == RowFailure(
        5, None, "category: wrong"
    )
    assert table.failure(1, "lines[3].itemId", "no") == RowFailure(5, "amounts", "no")
    assert str(table.failure(0, "", "refused")) == "line 2: refused"


def test_a_clean_run_has_no_failures(world):
    assert run(SAMPLE)["failures"] == []


def test_all_wrong_lines_of_a_file_are_reported(world):
    """The file fails as a whole, but all wrong lines are listed."""
    wrong = 'A1;Rice;pcs\n;Tea;pcs;\nA3;Salt;pcs;\nA3;Oil;pcs;\nA4;"x;pcs;\nA5;y\n'
    told = refused(HEADER + wrong)
    assert {path for path, _ in told} == {"fileId"}
    assert [message.split(" has")[0].split(" can")[0] for _, message in told] == [
        *("Line 2", "Line 3", "Line 5", "Line 6"),
    ]
    assert "as line 4" in told[2][1]
    assert not ImportRun.objects.exists()
    assert not Item.objects.filter(is_folder=False).exists()


def test_wrong_lines_beyond_the_limit_are_only_counted(world, monkeypatch):
    monkeypatch.setattr(csv_table, "MAX_LISTED", 2)
    told = refused(HEADER + "A\n" * 5)
    assert [message for _, message in told[2:]] == ["3 more lines are wrong."]
    assert len(told) == 3


def posted(client, person, content, path=PAGE):
    client.force_login(person)
    upload = SimpleUploadedFile("items.csv", content.encode(), "text/csv")
    answer = client.post(path, {"fileId": upload, "timeZone": ""})
    return answer, answer.content.decode()


@pytest.fixture
def clerk(db):
    return somebody_who_may(ImportItemsFromCsv, is_staff=True)


def test_the_page_shows_each_failure_and_links_to_the_report(world, client, clerk):
    answer, page = posted(client, clerk, SAMPLE)
    assert answer.status_code == 200
    cells = [cell.partition("</td>")[0] for cell in page.split("<tr><td>")[1:]]
    assert cells == ["2", "3"]
    run_id = ImportRun.objects.get().pk
    assert f'href="/admin/import?run={run_id}"' in page
    assert client.get("/admin/import", {"run": str(run_id)}).status_code == 200


def test_the_page_shows_the_wrong_lines_at_the_file(world, client, clerk):
    answer, page = posted(client, clerk, HEADER + "A1;Rice;pcs\nA2\n")
    assert len(answer.context["form"].errors["fileId"]) == 2
    assert "Line 3 has 1 value instead of 4" in page


def test_the_api_reports_wrong_lines_at_the_input(world, client):
    client.force_login(boss())
    upload = SimpleUploadedFile("items.csv", (HEADER + "A1\nA2\n").encode(), "text/csv")
    file_id = client.post("/api/v1/Files", {"file": upload}).json()["id"]
    answer = client.post(
        "/api/v1/Processors/ImportItemsFromCsv",
        {"fileId": file_id},
        content_type="application/json",
    )
    assert answer.status_code == 400
    assert len(answer.json()["errors"]["fileId"]) == 2
