"""The licence limit of people with an account. Programs don't count, and existing
accounts are never blocked."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from importer.package.shapes import LimitReached
from platform_site.accounts.built_in import ADMIN_ACCOUNT
from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.accounts.services import (
    create_user,
    set_password,
    update_user,
)

pytestmark = pytest.mark.django_db
SIXTH = "The licence allows 5 users, and 6 would be needed."


def a_person(name, **more):
    return create_user(user_name=name, password="a long secret", **more)


def fill(count=5):
    """Create accounts until there are this many people, ``admin`` included."""
    return [a_person(f"person{number}") for number in range(people(), count)]


def people():
    return User.objects.filter(is_service=False).count()


def test_the_sixth_person_is_refused():
    """HOST-165."""
    assert people() == 1
    fill(5)
    with pytest.raises(LimitReached) as refusal:
        a_person("sixth")
    assert str(refusal.value) == SIXTH
    assert people() == 5


def test_inactive_people_count(licensed):
    licensed(users=2)
    a_person("away", is_active=False)
    with pytest.raises(LimitReached):
        a_person("next")


def test_programs_do_not_count():
    fill(5)
    program = a_person("robot", is_service=True)
    assert User.objects.filter(is_service=True).count() == 3
    program.is_service = False
    with pytest.raises(LimitReached):
        update_user(user=program)
    assert User.objects.get(pk=program.pk).is_service


def test_a_program_may_become_a_person_while_there_is_room():
    program = a_person("robot", is_service=True)
    program.is_service = False
    update_user(user=program)
    assert people() == 2


def test_existing_people_above_the_limit_can_be_changed(licensed):
    person, *_ = fill(8) if licensed() is None else ()
    licensed(users=3)
    person.first_name = "Kim"
    update_user(user=person)
    set_password(user=person, password="another long secret")
    person.is_service = True
    update_user(user=person)
    assert people() == 7
    assert person.is_active


def test_the_limit_is_that_of_the_licence(licensed):
    licensed(users=6)
    fill(6)
    with pytest.raises(LimitReached):
        a_person("seventh")
    licensed()
    fill(9)
    assert people() == 9


def test_built_in_accounts_are_created_whatever_the_licence(licensed):
    licensed()
    fill(8)
    for user in User.objects.filter(username__in=[ADMIN_ACCOUNT, "jobs-scheduler"]):
        user.delete()
    licensed(users=1)
    seed_accounts()
    assert User.objects.filter(username=ADMIN_ACCOUNT).exists()
    assert User.objects.filter(username="jobs-scheduler").exists()


# -- in the administration -------------------------------------------------------------


@pytest.fixture
def pages(client):
    client.force_login(User.objects.get(username=ADMIN_ACCOUNT))
    return client


def typed(name, **more):
    password = {"password1": "a-long-secret-7", "password2": "a-long-secret-7"}
    return {"username": name, "usable_password": "true", **password, **more}


def add(pages, name, **more):
    return pages.post(reverse("admin:accounts_user_add"), typed(name, **more))


def said(answer):
    assert answer.status_code == 200
    return answer.context["adminform"].form.non_field_errors()


def test_the_page_reports_the_reached_limit(pages):
    fill(5)
    assert said(add(pages, "sixth")) == [SIXTH]
    assert people() == 5


def test_the_page_adds_programs_but_cannot_turn_them_into_people(pages):
    fill(5)
    assert add(pages, "robot", is_service="on").status_code == 302
    robot = User.objects.get(username="robot")
    url = reverse("admin:accounts_user_change", args=[robot.pk])
    assert said(pages.post(url, {"username": "robot", "sign_in": "yes"})) == [SIXTH]
    renamed = {"username": "robby", "is_service": "on", "sign_in": "yes"}
    assert pages.post(url, renamed).status_code == 302
    assert User.objects.get(pk=robot.pk).username == "robby"


def test_the_page_saves_people_above_the_limit(pages, licensed):
    licensed()
    person, *_ = fill(7)
    licensed(users=2)
    url = reverse("admin:accounts_user_change", args=[person.pk])
    sent = {"username": person.username, "first_name": "Kim", "sign_in": "yes"}
    answer = pages.post(url, sent)
    assert answer.status_code == 302
    assert User.objects.get(pk=person.pk).first_name == "Kim"


def test_the_licence_limit_hides_no_other_form_errors(pages):
    fill(5)
    form = add(pages, "no/slash", email="nowhere", password2="another")
    errors = form.context["adminform"].form.errors
    assert set(errors) == {"username", "email", "password2", "__all__"}
    assert errors["__all__"] == [SIXTH]


def test_the_services_report_invalid_values_before_the_licence():
    fill(5)
    with pytest.raises(ValidationError) as refusal:
        a_person("no/slash")
    assert "username" in refusal.value.message_dict
