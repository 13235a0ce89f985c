"""Uploaded packages in the bucket: found by every node, and removed when their time is
over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from importer.models import PackageUpload
from importer.services import remove_expired
from platform_site.settings.s3_place import StorageUnavailable
from tests.processing.users import an_uploader

pytestmark = pytest.mark.django_db
PAGE = "/admin/import"


@pytest.fixture
def packages(in_bucket, settings):
    storage = "platform_site.files.package_storage.BucketPackages"
    settings.IMPORTER = {**settings.IMPORTER, "UPLOAD_STORAGE": storage}
    return in_bucket


@pytest.fixture
def admin(client):
    person = an_uploader(is_superuser=True, is_staff=True)
    client.force_login(person)
    return person


def upload(client, content=b"code;name\nkg;Kilo\n"):
    """Upload a table, which is kept for the next page; return its address."""
    file = SimpleUploadedFile("units.csv", content, "text/csv")
    answer = client.post(PAGE, {"file": file, "action": "dry-run"})
    assert answer.status_code == 302, answer.content
    return answer["Location"]


def test_an_upload_is_kept_in_the_bucket_and_shown_again(client, packages, admin):
    address = upload(client)
    (row,) = PackageUpload.objects.all()
    assert packages.names() == [f"packages/{row.id.hex}"]
    page = client.get(address)
    assert page.status_code == 200
    assert "Kilo" in page.content.decode()


def test_an_upload_that_is_gone_has_to_be_sent_again(client, packages, admin):
    address = upload(client)
    packages.server.objects.clear()
    assert "Kilo" not in client.get(address).content.decode()


def test_what_is_over_its_time_or_without_a_row_is_removed(client, packages, admin):
    upload(client)
    (old,) = PackageUpload.objects.all()
    day = timedelta(hours=24, minutes=1)
    PackageUpload.objects.update(uploaded_at=timezone.now() - day)
    stray, new_stray = "packages/" + "0" * 32, "packages/" + "1" * 32
    packages.put(stray, b"x")
    packages.make_old(stray)
    packages.put(new_stray, b"x")
    assert f"packages/{old.id.hex}" in packages.names()
    remove_expired()
    assert packages.names() == [new_stray]


def test_while_the_bucket_fails_the_page_says_so_and_no_row_stays(
    client, packages, admin
):
    client.raise_request_exception = False
    packages.server.refusing = True
    file = SimpleUploadedFile("units.csv", b"code;name\n", "text/csv")
    answer = client.post(PAGE, {"file": file, "action": "dry-run"})
    assert answer.status_code == 503
    assert "couldn&#x27;t store the package" in answer.content.decode()
    assert not PackageUpload.objects.exists()


def test_a_kept_package_that_cannot_be_read_now_is_no_failure_of_the_page(
    client, packages, admin
):
    address = upload(client)
    client.raise_request_exception = False
    packages.server.refusing = True
    for page in (PAGE, address):
        answer = client.get(page)
        assert answer.status_code == 503
        assert "storage of files doesn&#x27;t answer" in answer.content.decode()
    packages.server.refusing = False
    assert client.get(address).status_code == 200


def test_a_bucket_that_fails_stops_no_other_housekeeping(packages, monkeypatch):
    done = []
    monkeypatch.setattr(
        "importer.runs.kept_packages.remove_old", lambda: done.append("packages")
    )
    packages.server.refusing = True
    with pytest.raises(StorageUnavailable):
        remove_expired()
    assert done == ["packages"]
