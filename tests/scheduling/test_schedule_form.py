"""Schedules that are chosen from a list, and the expressions behind them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from platform_site.accounts.models import User
from platform_site.scheduling.models import Job
from platform_site.scheduling.presets import preset_of
from tests.scheduling.jobs import a_job
from tests.scheduling.test_admin import ADD, NEXT_RUNS, errors, typed, url

pytestmark = pytest.mark.django_db
CHOICES = [
    ({"when": "minutes", "every": "15"}, "*/15 * * * *", "every 15 minutes"),
    ({"when": "minutes", "every": "1"}, "* * * * *", "every minute"),
    ({"when": "hourly", "minute": "0"}, "0 * * * *", "every hour"),
    ({"when": "daily", "at": "02:00"}, "0 2 * * *", "every night at 02:00"),
    (
        {"when": "workdays", "at": "06:30"},
        "30 6 * * 1-5",
        "from Monday to Friday at 06:30",
    ),
    (
        {"when": "weekly", "weekdays": ["1", "4"], "at": "06:30"},
        "30 6 * * 1,4",
        "every Monday and Thursday at 06:30",
    ),
    (
        {"when": "monthly", "day": "1", "at": "04:00"},
        "0 4 1 * *",
        "on the first of each month at 04:00",
    ),
    ({"when": "cron", "cron": "5 4 * 3 *"}, "5 4 * 3 *", "in March"),
]


@pytest.fixture
def pages(client, accounts):
    client.force_login(User.objects.get(username="admin"))
    return client


@pytest.mark.parametrize(("chosen", "cron", "words"), CHOICES)
def test_a_schedule_is_chosen_by_words(pages, chosen, cron, words):
    sent = typed(**{"cron": "", **chosen})
    assert words in pages.get(NEXT_RUNS, sent).content.decode()
    assert pages.post(ADD, sent).status_code == 302
    job = Job.objects.get()
    assert (job.cron, job.interval_seconds) == (cron, None)


@pytest.mark.parametrize(("chosen", "cron", "words"), CHOICES)
def test_the_form_of_a_job_shows_what_was_chosen(pages, runner, chosen, cron, words):
    form = pages.get(url(a_job(runner, cron=cron))).context["adminform"].form
    for name, value in chosen.items():
        shown = form[name].value()
        shown = shown.strftime("%H:%M") if name == "at" else shown
        assert str(shown) == str(value), name


def test_an_interval_is_a_schedule_too(pages):
    sent = typed(cron="", when="interval", interval_seconds="600")
    assert pages.post(ADD, sent).status_code == 302
    assert Job.objects.get().interval_seconds == 600


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({"when": "weekly", "at": "06:30"}, "weekdays"),
        ({"when": "daily"}, "at"),
        ({"when": "daily", "at": "25:00"}, "at"),
        ({"when": "interval"}, "interval_seconds"),
        ({"when": "cron"}, "cron"),
        ({"when": "cron", "cron": "0 25 * * *"}, "cron"),
        ({"when": "hourly", "minute": "60"}, "minute"),
        ({"when": "sometimes"}, "when"),
    ],
)
def test_what_is_missing_or_wrong_is_said_at_its_field_alone(pages, chosen, field):
    wrong = errors(pages.post(ADD, typed(**{"cron": "", **chosen})))
    assert field in wrong
    assert set(wrong) <= {field, "cron"} if field == "when" else set(wrong) == {field}


def test_a_new_job_is_offered_to_run_every_night(pages):
    form = pages.get(ADD).context["adminform"].form
    assert form["when"].value() == "daily"


@pytest.mark.parametrize(
    "cron", ["0 2 * 3 *", "*/7 * * * *", "61 2 * * *", "0 2 * * mon", "0 2,3 * * *"]
)
def test_other_expressions_are_shown_as_they_are(cron):
    assert preset_of(cron, None) == {"when": "cron"}


def test_readers_see_the_schedule_and_no_fields_to_choose_from(client, runner):
    job = a_job(runner, cron="0 2 * * *")
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_job"))
    client.force_login(reader)
    page = client.get(reverse("admin:scheduling_job_change", args=[job.pk]))
    text = page.content.decode()
    assert "every night at 02:00" in text
    assert "Day of the month" not in text
