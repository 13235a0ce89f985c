"""Starting runs on the page: dry run first, same bytes, and all refusals."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from unittest import mock

import pytest
from django.utils import timezone

from importer import services
from importer.models import ImportRun
from platform_site.accounts.services import create_user
from tests.builders import a_package, model_of, units
from tests.importer import background
from tests.importer.admin_page.conftest import Visitor, import_button, run_of, told

pytestmark = pytest.mark.django_db(transaction=True)


def doubled():
    return units("a").item("unit:b", code="a", name="taken")


def digest_of(package):
    return hashlib.sha256(package.as_bytes()).hexdigest()


def rows():
    return model_of("UnitsOfMeasure").objects.count()


@pytest.fixture
def colleague(db):
    """Return a visitor who is another administrator."""
    user = create_user(user_name="second", password="a long pass phrase")
    user.is_superuser = user.is_staff = True
    user.save()
    return Visitor(user)


def test_an_upload_is_run_dry_and_then_imported_from_its_report(visitor):
    """OPEN-52."""
    planned = visitor.dry_run(units("a", "b"))
    assert (planned.dry_run, planned.status, rows()) == (True, "Completed", 0)
    report = visitor.text(run=planned.run_id)
    assert "nothing has been written" in report
    assert "Import these 2 changes" in report
    done = visitor.ended(visitor.post("import", digest=digest_of(units("a", "b"))))
    assert (done.dry_run, done.status, rows()) == (False, "Completed", 2)
    assert done.started_by_name == "admin"


def test_an_import_needs_a_dry_run_without_errors(visitor):
    """OPEN-57."""
    assert "disabled" in import_button(visitor.text())
    planned = visitor.dry_run(doubled())
    assert 'value="import"' not in visitor.text(run=planned.run_id)
    visitor.dry_run(units("a"))
    page = visitor.text()
    buttons = [part.partition(">")[0] for part in page.split('value="import"')[1:]]
    # One of each embedded package, and that of the file.
    assert ["disabled" in button for button in buttons[-2:]] == [True, False]


@pytest.mark.parametrize("package", [units("a"), doubled()], ids=["new", "wrong"])
def test_a_forged_import_is_refused(visitor, package):
    """OPEN-57."""
    if package.steps[0]["items"][1:]:
        visitor.dry_run(package)
    answer = visitor.upload(package, "import")
    assert "Start a dry run of exactly this package first" in told(answer, 409)
    forged = visitor.post("import", package="demo-company")
    assert "Nothing was imported" in told(forged, 409)
    assert not ImportRun.objects.real().exists()


def test_files_and_dry_runs_of_other_users_do_not_count(visitor, colleague):
    visitor.dry_run(units("a"))
    digest = digest_of(units("a"))
    assert "no longer kept" in told(colleague.post("import", digest=digest), 404)
    told(colleague.upload(units("a"), "import"), 409)
    colleague.dry_run(units("a"))
    assert (
        colleague.ended(colleague.post("import", digest=digest)).status == "Completed"
    )


def test_an_embedded_package_is_run_dry_and_imported(visitor):
    planned = visitor.ended(visitor.post("dry-run", package="demo-company"))
    assert (planned.dry_run, planned.package) == (True, "demo-company")
    assert "disabled" not in import_button(visitor.text())
    plan = str(planned.run_id)
    assert f'name="plan" value="{plan}"' in visitor.text(run=plan)
    done = visitor.ended(visitor.post("import", plan=plan))
    assert (done.kind, done.based_on_id) == ("plan", planned.run_id)
    assert done.status == "Completed"
    assert "Up to date" in visitor.text()


def test_all_options_are_used(visitor):
    package = a_package().with_step("UnitsOfMeasure").unit("unit:a", "a")
    run = visitor.dry_run(package, continue_on_error="on", time_zone="Asia/Tokyo")
    assert (run.continue_on_error, run.time_zone) == (True, "Asia/Tokyo")
    report = visitor.text(run=run.run_id)
    assert 'name="continue_on_error" value="on"' in report
    done = visitor.ended(
        visitor.post("import", plan=run.run_id, continue_on_error="on")
    )
    assert (done.continue_on_error, done.time_zone) == (True, "Asia/Tokyo")


@pytest.mark.parametrize(
    ("action", "fields", "status", "words"),
    [
        ("dry-run", {}, 400, "Choose a package file first."),
        (
            "dry-run",
            {"package": "nobody"},
            404,
            "“nobody” isn&#x27;t one of the packages",
        ),
        ("dry-run", {"digest": "x"}, 400, "valid value"),
        ("dry-run", {"digest": "0" * 64}, 404, "choose it again"),
        (
            "dry-run",
            {"package": "demo-company", "time_zone": "Mars/Base"},
            400,
            "There is no time zone &quot;Mars/Base&quot;.",
        ),
        ("explode", {"package": "demo-company"}, 400, "Select a valid choice"),
        ("cancel", {"run": "x"}, 404, "There is no run x."),
        ("cancel", {}, 404, "There is no run"),
    ],
)
def test_impossible_requests_are_explained(visitor, action, fields, status, words):
    assert words in told(visitor.post(action, **fields), status)
    assert not ImportRun.objects.exists()


def test_a_package_too_large_is_refused(visitor, importer_settings):
    """IMP-335."""
    importer_settings(MAX_PACKAGE_SIZE_BYTES=1000)
    content = units("a").as_bytes()
    answer = visitor.upload(content + b" " * (1001 - len(content)))
    assert "larger than 1,000 bytes" in told(answer, 413)
    huge = visitor.upload(b" " * 2_000_000)
    assert "larger than 1,000 bytes" in told(huge, 413)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]"], ids=str)
def test_a_file_that_is_not_a_package_gets_a_report(visitor, content):
    run = visitor.dry_run(content)
    assert (run.status, run.has_errors) == ("Failed", True)
    assert "Errors (1)" in visitor.text(run=run.run_id)


def test_during_an_import_another_is_refused_and_its_file_kept(visitor, gate):
    visitor.dry_run(units("a"))
    begun = visitor.post("import", digest=digest_of(units("a")))
    gate.wait_for_a_run()
    refusal = told(visitor.upload(units("b"), name="other.json"), 409)
    assert "An import is in progress" in refusal
    page = visitor.text()
    assert "Import of corpus.a by admin" in page
    assert "other.json" in page
    gate.open()
    assert visitor.ended(begun).status == "Completed"
    assert visitor.ended(visitor.post("dry-run", digest=digest_of(units("b")))).dry_run


@pytest.mark.usefixtures("stored_at_once")
def test_a_run_is_cancelled(visitor, gate):
    visitor.dry_run(units("a", "b"))
    run_id = run_of(visitor.post("import", digest=digest_of(units("a", "b"))))
    gate.wait_for_a_run()
    assert run_of(visitor.post("cancel", run=run_id)) == run_id
    gate.open()
    assert services.get_run(run_id).status == "Interrupted"
    assert "stopped before it finished" in visitor.text(run=run_id)
    assert "has already ended" in told(visitor.post("cancel", run=run_id), 409)


def test_every_form_is_protected(admin):
    visitor = Visitor(admin, enforce_csrf_checks=True)
    for answer in (
        visitor.post("dry-run", package="demo-company"),
        visitor.upload(units("a")),
        visitor.post("cancel", run="x"),
    ):
        assert answer.status_code == 403
    token = visitor.get().cookies["csrftoken"].value
    sent = {"package": "demo-company", "csrfmiddlewaretoken": token}
    assert visitor.post("dry-run", **sent).status_code == 302
    background.finish_runs()


def test_an_upload_expires_after_a_day(visitor, admin):
    visitor.dry_run(units("a"), name="mine.json")
    assert "mine.json" in visitor.text()
    later = timezone.now() + timedelta(hours=24, minutes=1)
    with mock.patch("django.utils.timezone.now", return_value=later):
        # The session has ended meanwhile.
        back = Visitor(admin)
        assert "mine.json" not in back.text()
        answer = back.post("dry-run", digest=digest_of(units("a")))
        assert "choose it again" in told(answer, 404)


def test_only_the_last_five_files_are_kept(visitor):
    packages = [units(f"u{number}") for number in range(6)]
    for package in packages:
        visitor.dry_run(package)
    answers = [visitor.post("dry-run", digest=digest_of(p)) for p in packages[:1]]
    told(answers[0], 404)
    assert visitor.ended(visitor.post("dry-run", digest=digest_of(packages[1])))


def test_a_long_file_name_keeps_its_extension(visitor):
    visitor.dry_run(units("a"), name="n" * 200 + ".json")
    assert f"<strong data-file-name>{'n' * 95}.json</strong>" in visitor.text()
