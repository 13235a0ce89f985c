"""Two people with the same user, role or job open: the second is told, and keeps what
was typed."""

from __future__ import annotations

import pytest
from django.urls import reverse

from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import save_role
from platform_site.accounts.services import create_user, update_user
from platform_site.scheduling.models import Job
from platform_site.scheduling.services import create_job, update_job

pytestmark = pytest.mark.django_db
SENTENCE = "Somebody else changed this row"


def a_user():
    return create_user(user_name="clerk", password="long-secret", roles=["user"])


def a_role():
    return save_role(role=Role(name="guest"), permissions=[])


def a_job():
    job = Job(name="Nightly", processor="RecalculateCosts", cron="0 2 * * *")
    job.run_as = User.objects.get(username="admin")
    return create_job(job=job)


def other_user(row):
    row.email = "first@example.com"
    update_user(user=row)


def other_role(row):
    row.name = "by the first"
    save_role(role=row, permissions=[])


def other_job(row):
    row.cron = "0 3 * * *"
    update_job(job=row)


KINDS = {
    "user": (a_user, other_user, "first_name", "Typed"),
    "role": (a_role, other_role, "name", "typed"),
    "job": (a_job, other_job, "name", "Typed"),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def pages(client):
    client.force_login(User.objects.get(username="admin"))
    return client


def address(row, page="change"):
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=[row.pk])


def opened(pages, row):
    """Return what the form of a page sends when nothing is typed."""
    form = pages.get(address(row)).context["adminform"].form
    sent = {}
    for name in form.fields:
        value = form[name].value()
        if name == "groups":
            value = [getattr(each, "pk", each) for each in value]
        if value not in (None, False):
            sent[name] = value
    return sent


def stored(row):
    return type(row)._base_manager.filter(pk=row.pk).values().get()


def test_the_second_user_gets_a_message_and_keeps_the_input(pages, kind):
    make, change, field, typed = kind
    row = make()
    form = opened(pages, row)
    change(type(row).objects.get(pk=row.pk))
    before = stored(row)
    answer = pages.post(address(row), {**form, field: typed})
    shown = answer.context["adminform"].form
    assert SENTENCE in str(shown.non_field_errors())
    assert address(row) in str(shown.non_field_errors())
    assert shown[field].value() == typed
    assert stored(row) == before
    again = {name: shown[name].value() for name in form}
    assert SENTENCE in pages.post(address(row), again).content.decode()


def test_who_has_seen_the_change_saves(pages, kind):
    make, change, field, typed = kind
    row = make()
    change(type(row).objects.get(pk=row.pk))
    answer = pages.post(address(row), {**opened(pages, row), field: typed})
    assert answer.status_code == 302
    assert stored(row)[field] == typed


def test_what_is_sent_without_a_page_is_not_compared(pages, kind):
    make, _change, field, typed = kind
    row = make()
    form = opened(pages, row)
    del form["seen"]
    assert pages.post(address(row), {**form, field: typed}).status_code == 302
    assert stored(row)[field] == typed
