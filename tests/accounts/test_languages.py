"""The language of pages, API, reports and jobs: that of the browser or program, unless
the user has chosen one."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from importer import services
from importer.services import ImportOptions
from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.scheduling.execution import carry_out_job
from platform_site.scheduling.models import Job
from tests.builders import a_package, messages, stream
from tests.importer import background

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return User.objects.get(username="admin")


@pytest.fixture
def prefers(admin):
    """Return a function that sets the administrator's language."""

    def choose(code):
        User.objects.filter(pk=admin.pk).update(language=code)
        admin.refresh_from_db()

    return choose


@pytest.fixture
def browser(admin):
    """Return a client in which the administrator is signed in."""
    client = Client()
    client.force_login(admin)
    return client


def asks(code):
    return {"HTTP_ACCEPT_LANGUAGE": code}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "Pakete dieser Installation"),
        ("ru", "Пакеты этой установки"),
        ("fr", "Packages of this installation"),
    ],
)
def test_the_import_page_is_in_the_language_of_the_browser(browser, code, words):
    page = browser.get(reverse("import-page"), **asks(code))
    assert words in page.content.decode()
    assert page["Content-Language"] in ("de", "ru", "en")
    assert f'<html lang="{page["Content-Language"]}"' in page.content.decode()
    assert "Accept-Language" in page["Vary"]


def test_the_sign_in_page_is_in_the_language_of_the_browser():
    page = Client().get("/admin/login/", **asks("ru")).content.decode()
    assert 'lang="ru"' in page
    assert "Войти" in page


def test_the_users_language_takes_precedence_over_the_browsers(browser, prefers):
    prefers("de")
    page = browser.get(reverse("import-page"), **asks("ru"))
    assert "Pakete dieser Installation" in page.content.decode()
    assert page["Content-Language"] == "de"


def test_an_unsupported_language_choice_is_ignored(browser, prefers):
    prefers("tlh")
    page = browser.get(reverse("import-page"), **asks("ru"))
    assert page["Content-Language"] == "ru"


def post(client, path, body, **headers):
    return client.generic(
        "POST",
        f"/api/v1/{path}",
        json.dumps(body),
        content_type="application/json",
        **headers,
    )


@pytest.fixture
def key(admin):
    return {"HTTP_X_API_KEY": create_api_key(user=admin, name="test")[1]}


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (asks("ru"), "Неизвестное свойство «nonsense»."),
        (asks("de"), "Unbekannte Eigenschaft „nonsense“."),
        ({}, 'Unknown property "nonsense".'),
    ],
)
def test_api_errors_are_in_the_requested_language(key, header, sentence):
    answer = post(
        Client(), "Import/run", {"nonsense": 1, "package": "x"}, **key, **header
    )
    assert answer.status_code == 400
    assert answer.json()["errors"]["nonsense"] == [sentence]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("Items", "anna darf Artikel nicht ansehen."),
        ("SalesOrders/1/post", "anna darf Kundenaufträge nicht buchen."),
    ],
)
def test_the_sentence_of_a_missing_right_is_translated_completely(path, sentence):
    user = create_user(user_name="anna", password="a long pass phrase")
    key = {"HTTP_X_API_KEY": create_api_key(user=user, name="test")[1]}
    way = "GET" if path == "Items" else "POST"
    answer = Client().generic(way, f"/api/v1/{path}", **key, **asks("de"))
    assert (answer.status_code, answer.json()["detail"]) == (403, sentence)


def test_calls_with_a_key_use_the_language_of_its_owner(key, prefers):
    prefers("ru")
    answer = post(Client(), "Currencies", {"code": ""}, **key)
    assert answer["Content-Language"] == "ru"
    assert answer.json()["detail"] == "Запрос содержит ошибки; см. errors."


def test_values_for_programs_are_the_same_in_every_language(key):
    client = Client()
    numbers = {"code": "XTS", "name": "Тест", "minorUnits": 2}
    made = post(client, "Currencies", numbers, **key, **asks("ru"))
    assert made.status_code == 201
    row = "/api/v1/Currencies/{id}".format(**made.json())
    stock = "/api/v1/Reports/StockOnHand?format=csv"
    for path in ("/api/v1/Import/schema", "/swagger/v1/swagger.json", row, stock):
        russian = client.get(path, **key, **asks("ru"))
        assert russian.status_code == 200
        assert russian.content == client.get(path, **key).content


BAD = a_package().with_step("UnitsOfMeasure").item("u:1", code="pcs")


def test_a_report_is_in_the_language_of_the_user_who_started_the_run(admin, prefers):
    prefers("de")
    report = services.import_package(stream(BAD), ImportOptions(), user=admin)
    assert list(messages(report).values()) == [
        "steps[0].items[0].name: ist erforderlich und muss ausdrücklich angegeben "
        "werden"
    ]
    prefers("ru")
    report = services.import_package(stream(BAD), ImportOptions(), user=admin)
    assert list(messages(report).values()) == [
        "steps[0].items[0].name: обязательно и должно быть указано явно"
    ]


@pytest.mark.django_db(transaction=True)
def test_the_report_of_a_background_run_is_in_that_language_too(key):
    client = Client()
    body = {"file": stream(BAD)}
    body["file"].name = "bad.json"
    answer = client.post("/api/v1/Import/run", body, **key, **asks("de"))
    background.finish_runs()
    report = client.get(answer["Location"], **key).json()["report"]
    assert report["items"][0]["message"].endswith("ausdrücklich angegeben werden")
    assert report["items"][0]["outcome"] == "Failed"


def test_the_result_of_a_job_is_in_the_language_of_its_user(admin, prefers):
    prefers("de")
    job = Job(processor="ImportItemsFromCsv", run_as=admin, cron="0 2 * * *")
    assert carry_out_job(job).message
    User.objects.filter(pk=admin.pk).update(is_active=False)
    assert carry_out_job(job).message == (
        "Die Aufgabe läuft als „admin“, dessen Konto deaktiviert ist; aktivieren Sie "
        "es, oder wählen Sie einen anderen Benutzer."
    )
