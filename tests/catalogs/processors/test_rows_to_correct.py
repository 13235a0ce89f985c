"""Who loads a table through its processor gets the rows to correct, and nobody else
does."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from importer.models import ImportRun
from tests.catalogs.processors.test_table_sources import (
    LIST,
    clerk,  # noqa: F401 - a fixture
    prices,  # noqa: F401 - a fixture
    run,
)
from tests.catalogs.rows import a_clerk

pytestmark = pytest.mark.django_db


def failed(user, form):
    client = APIClient()
    client.force_authenticate(user)
    run = ImportRun.objects.get()
    return client.get(f"/api/v1/Import/runs/{run.run_id}/failed", {"format": form})


def test_a_clerk_corrects_what_failed(clerk, client):  # noqa: F811
    run(clerk, LIST.replace("1,50", "teuer"))
    answer = failed(clerk, "csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert text.splitlines()[1].startswith('1;Öl;Stk;teuer;"line 2, Preis €: ')
    client.force_login(clerk)
    report = f"/admin/import?run={ImportRun.objects.get().run_id}"
    page = client.get(report).content.decode()
    assert ("failed.csv" in page, "failed.json" in page) == (True, False)
    result = run(clerk, text.replace("teuer", "2,50", 1), encoding="utf-8-sig")
    assert (result["updated"], result["inserted"], result["failed"]) == (0, 1, 0)


def test_others_do_not_see_them_and_the_package_is_for_administrators(clerk):  # noqa: F811
    run(clerk, LIST.replace("1,50", "teuer"))
    assert failed(clerk, "json").status_code == 403
    assert failed(a_clerk("view_item"), "csv").status_code == 403
