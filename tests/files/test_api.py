"""Uploading and downloading files over the API."""

from __future__ import annotations

import hashlib
import shutil
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from platform_site.files import blobs
from platform_site.files.models import StoredFile
from tests.processing.users import an_uploader

pytestmark = pytest.mark.django_db
FILES = "/api/v1/Files"


@pytest.fixture(autouse=True)
def person(client, place):
    person = an_uploader()
    client.force_login(person)
    return person


def upload(client, content=b"bytes", name="list.csv", content_type="text/csv"):
    return client.post(FILES, {"file": SimpleUploadedFile(name, content, content_type)})


def test_an_uploaded_file_is_answered_with_what_is_known_of_it(client):
    answer = upload(client)
    assert answer.status_code == 201
    assert answer.json() == {
        "id": str(StoredFile.objects.get().pk),
        "name": "list.csv",
        "size": 5,
        "sha256": hashlib.sha256(b"bytes").hexdigest(),
    }


def test_it_comes_back_as_an_attachment_nobody_runs(client):
    key = upload(client, b"<script>", "evil.html", "text/html").json()["id"]
    answer = client.get(f"{FILES}/{key}")
    assert b"".join(answer.streaming_content) == b"<script>"
    assert answer["Content-Type"] == "text/html"
    assert answer["Content-Disposition"] == 'attachment; filename="evil.html"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"].startswith("sandbox")


def test_a_name_kept_by_an_older_version_is_cleaned_on_its_way_out(client):
    key = upload(client).json()["id"]
    StoredFile.objects.update(name="..\\x\u2066\r\nSet-Cookie: a=b\u202e.csv")
    answer = client.get(f"{FILES}/{key}")
    assert answer["Content-Disposition"] == (
        'attachment; filename="x___Set-Cookie: a=b_.csv"'
    )


def test_an_empty_file_is_a_file(client):
    assert upload(client, b"").json()["size"] == 0


def test_a_file_beyond_the_limit_is_413_and_leaves_nothing(client, settings):
    settings.PLATFORM_MAX_FILE_SIZE = 4
    answer = upload(client)
    assert answer.status_code == 413
    assert "at most 4 bytes" in answer.json()["detail"]
    assert not StoredFile.objects.exists()
    assert blobs.contents().blobs == []


def test_a_body_beyond_the_limit_is_413_before_it_is_read(client, settings):
    settings.PLATFORM_MAX_FILE_SIZE = 4

    class Unread:
        def read(self, *args):
            raise AssertionError("The body was read.")

        readline = read

    answer = client.generic(
        "POST",
        FILES,
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH="10000000",
        **{"wsgi.input": Unread()},
    )
    assert answer.status_code == 413


@pytest.mark.parametrize("data", [{}, {"other": "x"}, {"file": "no file"}])
def test_without_a_file_it_says_what_to_send(client, data):
    answer = client.post(FILES, data)
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"file", *data}


def test_another_form_than_multipart_is_415(client):
    answer = client.post(FILES, "{}", content_type="application/json")
    assert answer.status_code == 415


def test_files_of_others_and_unknown_ones_are_not_found(client):
    key = upload(client).json()["id"]
    assert client.get(f"{FILES}/{uuid.uuid4()}").status_code == 404
    client.force_login(an_uploader())
    assert client.get(f"{FILES}/{key}").status_code == 404


@pytest.mark.parametrize("path", ["..%2f..%2fsecret", "x", "%00", "../../etc/passwd"])
def test_no_path_leads_out_of_the_folder(client, path):
    assert client.get(f"{FILES}/{path}").status_code == 404


def test_a_file_whose_bytes_are_gone_is_said_so(client):
    key = upload(client).json()["id"]
    blobs.remove(uuid.UUID(key))
    answer = client.get(f"{FILES}/{key}")
    assert answer.status_code == 404
    assert "upload the file again" in answer.json()["detail"]


def test_without_the_folder_references_stay_and_uploads_work(client, in_folder):
    """HOST-073."""
    lost = upload(client).json()
    shutil.rmtree(in_folder.folder)
    assert client.get(f"{FILES}/{lost['id']}").status_code == 404
    kept = StoredFile.objects.get()
    assert (str(kept.pk), kept.name) == (lost["id"], "list.csv")
    again = upload(client).json()["id"]
    answer = client.get(f"{FILES}/{again}")
    assert b"".join(answer.streaming_content) == b"bytes"


def test_strangers_may_neither_upload_nor_download(client):
    key = upload(client).json()["id"]
    client.logout()
    assert upload(client).status_code in (401, 403)
    assert client.get(f"{FILES}/{key}").status_code in (401, 403)
