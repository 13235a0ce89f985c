"""What warnings and problems say: the figure, its limit and what to do, everywhere alike."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from importer.models import ImportRun
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.files.stores import MARK
from platform_site.notices import notices_for
from platform_site.site.status.disk_space import DiskSpace
from platform_site.site.status.shared_check import SharedCheck
from platform_site.site.system import health_checks
from tests.site.system.details import checks

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("free", "state"), [(0, "problem"), (1 << 40, "ok")])
def test_a_full_disk_names_the_limit_of_readiness(
    admin, monkeypatch, tmp_path, free, state
):
    space = DiskSpace(tmp_path, free=free, wanted=3)
    monkeypatch.setattr(health_checks, "disk_spaces", lambda: [space])
    code, _state, found = checks(admin)
    assert found["disk"]["status"] == state
    assert code == (503 if state == "problem" else 200)
    assert ("with less than 8.0\xa0MB" in found["disk"]["sentence"]) is (free == 0)


def test_limits_that_are_used_up_are_named_with_what_stops(admin):
    assert checks(admin)[2]["licence"]["status"] == "ok"
    for number in range(5 - User.objects.filter(is_service=False).count()):
        create_user(user_name=f"u{number}", password="a long pass phrase")
    found = checks(admin)[2]["licence"]
    assert found["status"] == "warning"
    assert "Users: 5 of the 5 allowed" in found["sentence"]
    assert "no user can be added: delete users" in found["sentence"]


@pytest.mark.parametrize(
    ("days", "status", "said"),
    [
        (
            -1,
            "problem",
            "apply (users: 5; documents a month: 1,000; lines in a document",
        ),
        (9, "warning", "(days left: 8)"),
        (99, "ok", "Licensed to "),
    ],
)
def test_a_licence_says_what_follows_from_its_end(admin, licensed, days, status, said):
    end = timezone.now() + datetime.timedelta(days=days)
    licensed(iat=0, exp=int(end.timestamp()))
    found = checks(admin)[2]["licence"]
    assert found["status"] == status
    assert said in found["sentence"]
    assert ("Licensing:LicenseFilePath" in found["sentence"]) is (status != "ok")


@pytest.fixture
def shared(settings, tmp_path, monkeypatch):
    """Return the folder that several nodes share."""
    settings.PLATFORM_NODES, settings.PLATFORM_BLOBS_BUCKET = True, None
    settings.PLATFORM_BLOBS_FOLDER = folder = tmp_path / "blobs"
    folder.mkdir()
    (folder / MARK).write_text("the installation")
    fresh = SharedCheck(health_checks._folder_trouble, late="late", kept_seconds=0)
    monkeypatch.setattr(health_checks, "_folders_check", fresh)
    return folder


def test_a_shared_folder_that_is_not_mounted_prevents_serving(admin, shared, settings):
    assert checks(admin)[:2][0] == 200
    (shared / MARK).unlink()
    code, _state, found = checks(admin)
    assert (code, found["disk"]["status"]) == (503, "problem")
    assert f"{shared}, is missing or not mounted" in found["disk"]["sentence"]
    [notice] = [
        one
        for one in notices_for(User.objects.get(username="admin"))
        if "not mounted" in one.text
    ]
    assert notice.text == found["disk"]["sentence"]
    # An only server has no such file.
    settings.PLATFORM_NODES = False
    assert checks(admin)[0] == 200


def test_a_folder_that_hangs_is_told_of_and_holds_up_nobody(admin, monkeypatch):
    late = health_checks._FOLDERS_LATE
    monkeypatch.setattr(health_checks, "_folders_check", lambda: late)
    monkeypatch.setattr(health_checks, "disk_spaces", None)
    code, _state, found = checks(admin)
    assert code == 503
    assert (
        "doesn't respond: There is no answer within 2 s. Check"
        in found["disk"]["sentence"]
    )


def test_the_start_page_says_the_same(admin, monkeypatch, tmp_path):
    space = DiskSpace(tmp_path, free=2_000_000_000, wanted=3_000_000_000)
    monkeypatch.setattr(health_checks, "disk_spaces", lambda: [space])
    monkeypatch.setattr("platform_site.site.overview.host.disk_spaces", lambda: [space])
    ImportRun.objects.create(
        package="Shop", status="Failed", started_at=timezone.now(), time_zone="UTC"
    )
    found = {check["sentence"] for check in checks(admin)[2].values()}
    told = {one.text for one in notices_for(User.objects.get(username="admin"))}
    assert len([one for one in found & told if "filling up" in one]) == 1
    assert len([one for one in found & told if "import of Shop" in one]) == 1
