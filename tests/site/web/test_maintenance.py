"""The maintenance mode: what people, programs and administrators see, and what waits."""

from __future__ import annotations

import datetime as dt
import io
import logging

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from importer.runs.background import ThreadEngine, _start_next
from importer.runs.pausing import pause_reason
from importer.services import EngineStopped
from platform_site.accounts.models import User
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD, seed_accounts
from platform_site.accounts.services import create_user
from platform_site.maintenance import (
    begin_maintenance,
    current_maintenance,
    end_maintenance,
)
from platform_site.notices import notices_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def data(tmp_path, settings):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    (tmp_path / "db").mkdir()
    return tmp_path


@pytest.fixture
def on(data):
    seed_accounts()
    return begin_maintenance(
        "We are moving.", timezone.now() + dt.timedelta(minutes=20)
    )


def signed_in(name, **account):
    client = Client()
    client.force_login(create_user(user_name=name, password="p", **account))
    return client


def test_people_get_the_message_instead_of_pages(on):
    answer = signed_in("clerk", roles=["user"], is_staff=True).get("/admin/")
    assert answer.status_code == 503
    assert 1100 < int(answer["Retry-After"]) <= 1200
    text = answer.content.decode()
    assert "Maintenance" in text
    assert "We are moving. It is expected to be back on" in text


def test_programs_get_a_problem_whoever_they_are(on):
    for client in (Client(), signed_in("clerk", roles=["user"])):
        answer = client.get("/api/v1/Items")
        assert answer.status_code == 503
        assert answer["Retry-After"]
        assert answer.json()["code"] == "unavailable"
        assert answer.json()["detail"].startswith("We are moving.")


def test_administrators_sign_in_and_work_and_are_reminded(on):
    client = Client()
    assert client.get("/admin/login/").status_code == 200
    form = {"username": "admin", "password": DEFAULT_ADMIN_PASSWORD}
    assert client.post("/admin/login/", form).status_code == 302
    assert client.get("/admin/system/").status_code == 200
    assert client.get("/api/v1/Items").status_code == 200
    admin = User.objects.get(username="admin")
    assert "Maintenance is on" in " ".join(n.text for n in notices_for(admin))
    details = client.get("/health/details").json()
    [check] = [c for c in details["checks"] if c["name"] == "maintenance"]
    assert check["status"] == "warning"


def test_signing_in_over_the_api_and_probes_go_on(on):
    body = {"userName": "admin", "password": DEFAULT_ADMIN_PASSWORD}
    answer = Client().post("/api/v1/Auth/login", body, "application/json")
    assert answer.status_code == 200
    assert Client().get("/health/live").status_code == 200


def test_its_answers_raise_no_alarm(on, caplog, monkeypatch):
    with caplog.at_level(logging.INFO, "django.request"):
        assert Client().get("/api/v1/Items").status_code == 503
        page = signed_in("clerk", roles=["user"], is_staff=True).get("/admin/")
        assert page.status_code == 503
        # Administrators are let in, but no import starts.
        admin = Client()
        admin.force_login(User.objects.get(username="admin"))
        run = admin.post(
            "/api/v1/Import/run",
            "{}",
            content_type="application/vnd.platform.package+json",
        )
        assert (run.status_code, run.json()["code"]) == (503, "unavailable")
    found = [one for one in caplog.records if one.name == "django.request"]
    assert len(found) == 3
    assert {one.levelname for one in found} == {"INFO"}


def test_it_is_over_at_once_and_costs_no_query(on, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Client().get("/api/v1/Items").status_code == 503
        assert end_maintenance()
        assert Client().get("/api/v1/Items").status_code == 401
    assert current_maintenance() is None
    assert not end_maintenance()


def test_a_file_made_by_hand_is_enough(data):
    (data / "db" / "maintenance.json").touch()
    answer = Client().get("/api/v1/Items")
    assert (answer.status_code, answer["Retry-After"]) == (503, "300")
    assert answer.json()["detail"] == "The site is being maintained."


def test_no_import_begins_and_queued_ones_wait(on):
    class Order:
        closed = False

        def close(self):
            self.closed = True

    order = Order()
    with pytest.raises(EngineStopped, match="when the maintenance is over"):
        ThreadEngine().start(order)
    assert order.closed
    _start_next()  # asks for no run
    end_maintenance()
    assert pause_reason() == ""


def ran(*arguments):
    printed = io.StringIO()
    call_command("maintenance", *arguments, stdout=printed)
    return printed.getvalue()


@pytest.fixture
def command(data, monkeypatch):
    class Here:
        data_folder = data
        time_zone = "Europe/Berlin"

    name = "platform_site.management.commands.maintenance.active"
    monkeypatch.setattr(name, lambda: Here)


def test_the_command_begins_tells_and_ends_it(command):
    assert ran("status") == "Maintenance is off.\n"
    said = ran("on", "--message", "We are moving.", "--until", "2126-12-01 18:00")
    assert "expected until 2126-12-01 18:00" in said
    assert ": We are moving." in said
    found = current_maintenance()
    assert found.until == dt.datetime(2126, 12, 1, 17, tzinfo=dt.UTC)
    assert found.again_seconds == 3600
    # Again: another message, and the same beginning.
    assert ran("on") == f"Maintenance is on since {found.since:%Y-%m-%d %H:%M %Z}.\n"
    assert ran("off") == "Maintenance is over.\n"
    assert ran("off") == "It was not on.\n"


@pytest.mark.parametrize(
    ("until", "said"),
    [("soon", "date and time such as"), ("2020-01-01 10:00", "in the past")],
)
def test_a_wrong_end_changes_nothing(command, until, said):
    with pytest.raises(CommandError, match=said):
        ran("on", "--until", until)
    assert current_maintenance() is None
