"""Who may upload files, and how large a body the server takes in for whom."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from django.core.files.uploadedfile import SimpleUploadedFile

from platform_site.accounts.built_in import EMPLOYEE, USER
from platform_site.files.admission import largest_upload, takes_uploads_at
from platform_site.files.models import StoredFile
from platform_site.files.services import ROUND_THE_FILE, store_file
from platform_site.processing import registry
from platform_site.records.errors import NotAllowed
from tests.processing.processors import CountWords
from tests.processing.users import a_person, allow, an_uploader, somebody_who_may

pytestmark = pytest.mark.django_db
FILES, PAGE = "/api/v1/Files", "/admin/processors/CountWords"
IMPORTS = ["/api/v1/Import/run", "/admin/import", "/admin/import/"]


@pytest.fixture(autouse=True)
def blobs_folder(tmp_path, settings):
    settings.PLATFORM_BLOBS_FOLDER = tmp_path / "blobs"
    settings.PLATFORM_MAX_FILE_SIZE = 1000
    settings.IMPORTER = {**settings.IMPORTER, "MAX_PACKAGE_SIZE_BYTES": 2000}
    with registry.registered(CountWords):
        yield


def of_role(name, **attributes):
    person = a_person(**attributes)
    person.groups.add(Group.objects.get(name=name))
    return person


def upload(client, person):
    client.force_login(person)
    return client.post(FILES, {"file": SimpleUploadedFile("a.csv", b"bytes")})


def test_who_may_use_no_file_may_upload_none_and_reads_which_right_is_missing(client):
    answer = upload(client, of_role(USER))
    assert answer.status_code == 403
    assert answer.json()["code"] == "not-allowed"
    assert answer.json()["right"] == "files.add_storedfile"
    assert "data processor that takes a file" in answer.json()["detail"]
    assert not StoredFile.objects.exists()


def test_a_refused_upload_is_not_read(client):
    class Unread:
        def read(self, *args):
            raise AssertionError("The body was read.")

        readline = read

    client.force_login(a_person())
    answer = client.generic(
        "POST",
        FILES,
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH="100",
        **{"wsgi.input": Unread()},
    )
    assert answer.status_code == 403


def test_the_right_to_execute_what_takes_a_file_is_enough(client):
    assert upload(client, somebody_who_may(CountWords)).status_code == 201


def test_the_plain_right_is_enough(client):
    assert upload(client, an_uploader()).status_code == 201


def test_those_of_the_house_who_load_files_still_may(client):
    assert upload(client, of_role(EMPLOYEE)).status_code == 201
    assert upload(client, a_person(is_superuser=True)).status_code == 201


def test_the_services_refuse_it_in_every_way():
    with pytest.raises(NotAllowed):
        store_file(upload=SimpleUploadedFile("a", b"a"), user=a_person())


@pytest.mark.parametrize("path", [FILES, PAGE, *IMPORTS])
def test_an_upload_path_is_known_without_a_database(path, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert takes_uploads_at(path)
        assert largest_upload(path, AnonymousUser()) == 0


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/nowhere",
        f"{FILES}/x",
        "/api/v1/Import/runs",
        "/admin/processors",
        "//",
        "",
    ],
)
def test_no_other_path_takes_uploads(path):
    assert not takes_uploads_at(path)
    assert largest_upload(path, a_person(is_superuser=True)) == 0


@pytest.mark.parametrize("path", IMPORTS)
def test_packages_are_taken_from_administrators_only(path):
    assert largest_upload(path, of_role(EMPLOYEE, is_staff=True)) == 0
    assert largest_upload(path, a_person(is_superuser=True)) == 2000 + ROUND_THE_FILE


def test_files_are_taken_from_those_who_may_upload():
    assert largest_upload(FILES, a_person()) == 0
    assert largest_upload(FILES, somebody_who_may(CountWords)) == 1000 + ROUND_THE_FILE
    gone = somebody_who_may(CountWords, is_active=False)
    assert largest_upload(FILES, gone) == 0


def test_the_page_of_a_processor_takes_files_from_those_who_may_execute_it():
    person = somebody_who_may(CountWords, is_staff=True)
    assert largest_upload(PAGE, person) == 1000 + ROUND_THE_FILE
    assert largest_upload("/admin/processors/ImportItemsFromCsv", person) == 0
    assert largest_upload("/admin/processors/RecalculateCosts", person) == 0
    assert largest_upload("/admin/processors/Nothing", person) == 0
    outside = a_person()
    allow(outside, CountWords)
    assert largest_upload(PAGE, outside) == 0
