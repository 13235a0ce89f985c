"""Each entry of a report has the line of the file where its object begins."""

from __future__ import annotations

import json

import pytest

from tests.builders import a_package, code, units

pytestmark = pytest.mark.django_db


def package(**keys):
    built = units("pcs", "kg").with_step("Items", **keys)
    built.goods("item:1", "1", code("pcs"), description="first\nsecond")
    built.goods("item:2", "2", code("nowhere"))
    return built.goods("item:3", "3", code("kg"), name="Gießkanne")


def written(built, ending="\n", **options):
    return json.dumps(built.as_dict(), **options).replace("\n", ending).encode()


def expected(content, ending=b"\n"):
    """Return the line of each object: the one with its opening brace."""
    lines = [line.strip() for line in content.split(ending)]
    ids = (i for i, line in enumerate(lines) if line.startswith(b'"$id"'))
    return {lines[i].split(b'"')[3].decode(): i for i in ids}


def lines(report):
    return {entry.id: entry.line for entry in report.items}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_line_is_that_of_the_objects_opening_brace(run, ending, ascii_only):
    content = written(package(), ending, indent=2, ensure_ascii=ascii_only)
    found = expected(content)
    assert found["unit:pcs"] == 11
    for options in ({"dry_run": True}, {"continue_on_error": True}):
        report = run(content, **options)
        assert lines(report) == found
        (problem,) = report.problems
        assert (problem.first.id, problem.first.line) == ("item:2", found["item:2"])


def test_a_file_of_one_line_has_all_objects_in_its_first(run):
    assert set(lines(run(written(package()), dry_run=True)).values()) == {1}


def test_objects_that_are_read_again_keep_their_lines(run):
    """Keys after the objects change their check, so they are read a second time."""
    built = package(match=["code"], onChange="skip").as_dict()
    step = built["steps"][1]
    built["steps"][1] = {"items": step.pop("items"), **step}
    built["steps"].append({"dictionary": "Warehouses", "items": [{"$id": "last"}]})
    content = json.dumps(built, indent=1).encode()
    assert lines(run(content, dry_run=True)) == expected(content)


def test_lines_beyond_the_first_block_of_a_big_file(run):
    built = a_package().with_step("UnitsOfMeasure")
    for number in range(1500):
        built.unit(f"u{number}", f"U{number}", name="Ж" * 40)
    content = written(built, indent=3, ensure_ascii=False)
    assert len(content) > 200_000
    assert lines(run(content, dry_run=True)) == expected(content)
