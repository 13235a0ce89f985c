"""Access to the import page."""

from __future__ import annotations

import pytest

from importer.models import ImportRun
from tests.builders import units
from tests.importer.admin_page.conftest import PAGE, Visitor

pytestmark = pytest.mark.django_db
PATHS = ["", "/", "/progress", "/report.json", "/report.csv"]


@pytest.mark.parametrize("path", PATHS)
def test_an_anonymous_visitor_is_sent_to_the_login(path):
    """OPEN-60."""
    answer = Visitor().get(path)
    assert answer.status_code == 302
    assert answer["Location"] == f"/admin/login/?next=/admin/import{path}"


def test_an_anonymous_upload_is_sent_to_the_login():
    assert Visitor().upload(units("a")).status_code == 302
    assert not ImportRun.objects.exists()


def test_a_partial_request_redirects_the_whole_window_to_the_login():
    answer = Visitor().client.get(f"{PAGE}/progress", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (200, "true")


@pytest.mark.parametrize("is_staff", [True, False], ids=["staff", "not staff"])
def test_users_who_are_not_administrators_are_refused(clerk, run, is_staff):
    """IMP-266."""
    user = clerk("add_unitofmeasure", "view_importrun")
    user.is_staff = is_staff
    user.save()
    visitor = Visitor(user)
    run_id = run(units("secret")).run_id
    for path in PATHS:
        answer = visitor.get(path, run=run_id)
        assert answer.status_code == 403
        assert b"secret" not in answer.content
        assert b"for administrators only" in answer.content
    for action in ("dry-run", "import", "cancel"):
        answer = visitor.post(action, package="demo-company", run=run_id)
        assert answer.status_code == 403
    assert ImportRun.objects.count() == 1


def test_the_admin_index_links_administrators_to_the_page(admin, clerk):
    user = clerk("view_importrun")
    user.is_staff = True
    user.save()
    visitor = Visitor(admin)
    listed = visitor.client.get("/admin/").content
    assert b'href="/admin/import"' in listed
    answer = visitor.client.get("/admin/importer/importrun/")
    assert answer["Location"] == PAGE
    assert b"/admin/import" not in Visitor(user).client.get("/admin/").content


def test_other_methods_are_refused(admin):
    assert Visitor(admin).client.put(PAGE).status_code == 405
    assert Visitor(admin).client.post(f"{PAGE}/progress").status_code == 405
