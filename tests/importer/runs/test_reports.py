"""Reports are read page by page, with any filter."""

from __future__ import annotations

from uuid import uuid4

import pytest

from importer import services
from importer.models import ImportRun
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.pipeline.report import pack
from importer.runs import report_filter
from importer.runs.report_filter import ReportFilter, filtered
from tests.builders import units

pytestmark = pytest.mark.django_db
MANY = 20_000


def result(place):
    outcome = Outcome.FAILED if place % 1000 == 7 else Outcome.UNCHANGED
    message = f"steps[0].items[{place}]: TAKEN «{place}»" if place % 1000 == 7 else ""
    return ItemResult(f"Товар:{place}", 0, place, "Items", outcome, message, 1, None)


@pytest.fixture(scope="module")
def chunks():
    starts = range(0, MANY, 1000)
    return [pack(at, [result(at + n) for n in range(1000)]) for at in starts]


@pytest.fixture
def long_run(chunks, admin):
    run = ImportRun.objects.create(
        run_id=uuid4(),
        time_zone="UTC",
        started_by=admin,
        started_by_name="admin",
        started_at="2026-01-01T00:00:00Z",
        status="Completed",
    )
    for chunk in chunks:
        run.chunks.create(
            first=chunk.first, size=chunk.size, counts=chunk.counts, data=chunk.data
        )
    return run


def places(entries):
    return [entry.index for entry in entries]


ASKED = [
    ({"limit": 3}, [0, 1, 2]),
    ({"offset": 999, "limit": 2}, [999, 1000]),
    ({"offset": MANY - 1}, [MANY - 1]),
    ({"offset": MANY}, []),
    ({"limit": 0}, []),
    ({"outcome": "Failed", "limit": 2}, [7, 1007]),
    ({"outcome": "Failed", "offset": 19}, [19_007]),
    ({"outcome": "Failed", "offset": 20}, []),
    ({"outcome": "Unchanged", "offset": 998, "limit": 2}, [999, 1000]),
    ({"outcome": "Adopted"}, []),
    ({"search": "тОВАР:1999", "limit": 3}, [1999, 19_990, 19_991]),
    ({"search": "taken «3007»"}, [3007]),
    ({"search": "items[5007]"}, [5007]),
    ({"search": "ITEMS", "offset": 1500, "limit": 1}, [1500]),
    ({"search": "taken", "outcome": "Failed", "offset": 1, "limit": 1}, [1007]),
    ({"search": "taken", "outcome": "Unchanged"}, []),
    ({"search": "nothing like it"}, []),
]


@pytest.mark.parametrize(("asked", "expected"), ASKED, ids=str)
def test_a_report_can_be_filtered(long_run, asked, expected):
    assert places(services.report_entries(long_run.run_id, **asked)) == expected


@pytest.mark.parametrize("text", ['"', "\\", "\t", "ß", "İ", "«"])
def test_a_search_finds_texts_that_json_escapes(text):
    one = ItemResult(f"a{text}b", 0, 0, "T", Outcome.UNCHANGED, "", None, None)
    chunk = pack(0, [one])
    wanted = ReportFilter(search=text)
    assert list(filtered([chunk], lambda heads: [h.data for h in heads], wanted))


@pytest.mark.parametrize(
    "wanted", [{"offset": 15_500}, {"outcome": "Failed", "offset": 15}]
)
def test_a_page_reads_only_the_chunks_that_contain_it(
    long_run, wanted, django_assert_num_queries, monkeypatch
):
    opened = []
    unpack = report_filter.unpack

    def counted(data):
        opened.append(len(data))
        return unpack(data)

    monkeypatch.setattr(report_filter, "unpack", counted)
    with django_assert_num_queries(3):  # the run, the heads, one chunk
        page = list(services.report_entries(long_run.run_id, limit=1, **wanted))
    assert (len(page), len(opened)) == (1, 1)


def test_a_search_takes_few_queries(long_run, django_assert_max_num_queries):
    with django_assert_max_num_queries(7):
        found = list(services.report_entries(long_run.run_id, search="19007"))
    assert places(found) == [19_007]


def test_the_list_of_runs_leaves_out_long_columns(run, django_assert_num_queries):
    other = run(units("x", package="corpus.b")).run_id
    own = [run(units("a")).run_id for _ in range(3)]
    run(units("a"), dry_run=True)
    with django_assert_num_queries(1):
        listed = [found.run_id for found in services.list_runs("corpus.a", limit=2)]
    assert listed == [own[2], own[1]]
    assert {found.run_id for found in services.list_runs()} == {other, *own}


def test_packages_are_listed_with_the_version_applied(run, admin):
    def listed():
        return {one.embedded.package: one for one in services.list_packages()}

    before = listed()["demo-company"]
    assert (before.applied_version, before.applied_at) == (None, None)
    with before.embedded.path.open("rb") as file:
        report = services.import_package(file, user=admin)
    after = listed()["demo-company"]
    assert after.applied_version == after.embedded.version
    assert after.applied_at == services.get_run(report.run_id).finished_at
