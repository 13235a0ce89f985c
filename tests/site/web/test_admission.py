"""How large a body the application lets a caller send, by the head of the request."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from platform_site.accounts.models import User
from platform_site.site.api.parsers import LARGEST_BODY
from platform_site.site.web.admission import ADMISSION, Admission

pytestmark = pytest.mark.django_db
FILES, RUN, PAGE = "/api/v1/Files", "/api/v1/Import/run", "/admin/import"


def asked(client, path):
    admission = Admission()
    answer = client.post(path, **{ADMISSION: admission})
    return admission.most_bytes, answer


@pytest.fixture
def somebody():
    client = Client()
    client.force_login(User.objects.create_user("somebody"))
    return client


@pytest.mark.parametrize("path", [FILES, RUN, PAGE])
def test_who_may_upload_may_send_as_much_as_may_be_uploaded(admin_client, path):
    most, _ = asked(admin_client, path)
    assert most > min(
        settings.PLATFORM_MAX_FILE_SIZE, settings.IMPORTER["MAX_PACKAGE_SIZE_BYTES"]
    )


@pytest.mark.parametrize("path", [FILES, RUN])
def test_uploading_without_the_right_is_refused(somebody, path):
    most, answer = asked(somebody, path)
    assert (most, answer.status_code) == (None, 403)
    assert answer.json()["code"] == "not-allowed"


def test_signed_in_users_may_send_bodies_of_the_usual_size_to_other_paths(somebody):
    assert asked(somebody, "/api/v1/Items")[0] == LARGEST_BODY


@pytest.mark.parametrize("path", [FILES, RUN, "/api/v1/Items", "/api/v1/Auth/login"])
@pytest.mark.parametrize(
    "headers", [{}, {"X-Api-Key": "no"}, {"Authorization": "Bearer no"}]
)
def test_an_anonymous_caller_is_asked_to_sign_in(path, headers):
    most, answer = asked(Client(headers=headers), path)
    assert (most, answer.status_code) == (None, 401)
    assert answer.json()["code"] == "not-signed-in"


def test_a_stranger_with_a_page_open_is_led_to_the_sign_in():
    most, answer = asked(Client(), PAGE)
    assert (most, answer.status_code) == (None, 302)
    assert answer["Location"].startswith("/admin/login/")


def test_the_question_alone_does_nothing_and_is_not_logged(admin_client, caplog):
    with caplog.at_level("INFO", logger="platform.access"):
        assert asked(admin_client, RUN)[1].status_code == 204
    assert not caplog.records
