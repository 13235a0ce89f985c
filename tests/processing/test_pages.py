"""The pages of data processors in the administration."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from platform_site.files.models import StoredFile
from platform_site.processing import registry
from tests.processing.processors import CountWords
from tests.processing.users import a_person, somebody_who_may

pytestmark = pytest.mark.django_db
PAGE = "/admin/processors/CountWords"
TYPED = {"text": "a b c", "atLeast": "2", "from": "2026-05-01", "timeZone": ""}


@pytest.fixture(autouse=True)
def known():
    with registry.registered(CountWords):
        yield


@pytest.fixture
def person(client):
    person = somebody_who_may(CountWords, is_staff=True)
    client.force_login(person)
    return person


def text(answer):
    return answer.content.decode()


def test_the_page_asks_for_the_declared_input_with_its_defaults(client, person):
    """IMP-199."""
    page = text(client.get(PAGE))
    assert "<h1>Count words</h1>" in page
    assert 'type="file" name="fileId" accept=".txt"' in page
    assert 'name="text" value="one two"' in page
    assert 'type="number" name="atLeast" value="1"' in page
    assert 'type="date" name="from" value="2026-01-01"' in page
    assert 'type="checkbox" name="breaks"' in page


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}/"])
def test_executing_shows_the_result_without_its_hidden_values(client, person, path):
    """IMP-171."""
    page = text(client.post(path, TYPED))
    assert "<dt>How many</dt><dd>3</dd>" in page
    assert "Finished after" in page
    assert "by User" not in page


def test_a_chosen_file_is_uploaded_and_used(client, person):
    """IMP-167."""
    upload = SimpleUploadedFile("w.txt", b"a b c d", "text/plain")
    page = text(client.post(PAGE, {**TYPED, "fileId": upload}))
    assert "<dt>How many</dt><dd>4</dd>" in page
    assert StoredFile.objects.get().uploaded_by == person


def test_wrong_values_stand_at_their_fields_and_nothing_is_uploaded(client, person):
    upload = SimpleUploadedFile("w.txt", b"a b", "text/plain")
    wrong = {**TYPED, "atLeast": "many", "from": "soon", "fileId": upload}
    answer = client.post(PAGE, wrong)
    assert set(answer.context["form"].errors) == {"atLeast", "from"}
    assert 'value="many"' in text(answer)
    assert not StoredFile.objects.exists()


def test_a_file_beyond_the_limit_is_said_at_its_field(client, person, settings):
    settings.PLATFORM_MAX_FILE_SIZE = 3
    upload = SimpleUploadedFile("w.txt", b"a b c d", "text/plain")
    answer = client.post(PAGE, {**TYPED, "fileId": upload})
    (message,) = answer.context["form"].errors["fileId"]
    assert message == "The file is too large; at most 3 bytes are accepted."


def test_what_a_processor_refuses_is_on_the_page(client, person):
    """OPEN-74."""
    assert "Nothing to count." in text(client.post(PAGE, {**TYPED, "text": ""}))


def test_what_breaks_is_a_sentence_on_the_page(client, person):
    page = text(client.post(PAGE, {**TYPED, "breaks": "on"}))
    assert "“Count words” failed unexpectedly" in page


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Nobody/Knows", "../x", "\0"])
def test_the_zone_of_the_browser_is_used_where_it_is_known(client, person, zone):
    answer = client.post(PAGE, {**TYPED, "timeZone": zone})
    used = answer.context["execution"].result["zone"]
    assert used == ("Asia/Tokyo" if zone == "Asia/Tokyo" else "UTC")


def test_what_others_typed_is_not_markup(client, person):
    page = text(client.post(PAGE, {**TYPED, "text": '"><script>', "atLeast": "x"}))
    assert "<script>" not in page.replace('<script src="', "")


def test_without_the_right_the_page_is_closed(client):
    client.force_login(a_person(is_staff=True))
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, TYPED).status_code == 403


def test_strangers_are_asked_to_sign_in(client):
    assert client.get(PAGE)["Location"].startswith("/admin/login/")


def test_an_unknown_processor_is_not_found(client, person):
    assert client.get("/admin/processors/Nothing").status_code == 404


@pytest.mark.parametrize("path", ["/admin/processors", "/admin/processors/"])
def test_the_list_names_what_a_person_may_execute(client, person, path):
    page = text(client.get(path))
    assert f'<a href="{PAGE}">Count words</a>' in page
    assert "ImportItemsFromCsv" not in page


def test_the_list_says_so_where_there_is_none(client):
    client.force_login(a_person(is_staff=True))
    assert "the right to execute any data processor" in text(
        client.get("/admin/processors")
    )


def test_the_start_page_leads_to_the_list(client, person):
    page = text(client.get("/admin/"))
    assert 'href="/admin/automation/"' in page
    answer = client.get("/admin/processing/processor/")
    assert answer["Location"] == "/admin/processors"


def test_the_start_page_hides_it_from_those_without_the_right(client):
    client.force_login(a_person(is_staff=True))
    page = text(client.get("/admin/"))
    assert "/admin/processing/" not in page
    assert "/admin/automation/" not in page


def test_who_may_not_execute_it_reads_which_right_to_ask_for(client, db):
    client.force_login(a_person(is_staff=True))
    answer = client.get(PAGE)
    assert answer.status_code == 403
    assert "administrator for the right ExecuteCountWords" in text(answer)
