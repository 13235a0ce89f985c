"""The filters and pages of the list of runs."""

from __future__ import annotations

import pytest

from importer import services
from tests.builders import units

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.importer.api.urls"),
]


def test_the_list_of_runs_is_filtered_by_status_user_and_kind(calls):
    good = calls.ended(calls.upload(units("a")))["runId"]
    bad = calls.ended(calls.upload(b"{"))["runId"]
    dry = calls.ended(calls.upload(units("a"), dryRun="true"))["runId"]

    def listed(**query):
        return [run["runId"] for run in calls.get("runs", **query).json()]

    assert listed(status="Completed") == [good]
    assert listed(status="Failed", user="admin", dryRun="false") == [bad]
    assert listed(user="nobody") == []
    assert listed(dryRun="true") == [dry]
    assert listed(dryRun="true", status="Failed") == []


def test_older_runs_are_on_the_next_pages(calls):
    ids = [calls.ended(calls.upload(units("a")))["runId"] for _ in range(3)]
    pages = [services.list_runs(limit=2, page=page) for page in (1, 2, 3)]
    assert [[str(run.run_id) for run in page] for page in pages] == [
        [ids[2], ids[1]],
        [ids[0]],
        [],
    ]
    assert len(calls.get("runs", page=1).json()) == 3
    assert calls.get("runs", page=2).json() == []


@pytest.mark.parametrize(
    "query",
    [
        {"status": "Finished"},
        {"dryRun": "yes"},
        {"page": 0},
        {"page": "last"},
        {"user": "x" * 151},
        {"packages": "corpus.a"},
    ],
)
def test_a_wrong_filter_of_runs_is_refused_by_its_name(calls, query):
    answer = calls.get("runs", **query)
    assert answer.status_code == 400
    assert next(iter(query)) in str(answer.json())
