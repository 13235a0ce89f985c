"""The steps of the wizard, one after the other, twice, at once, and left for later."""

from __future__ import annotations

import pytest

from catalogs.models import UnitOfMeasure
from demo.seeding import get_installation, seed
from platform_site.accounts.models import User
from platform_site.accounts.services import default_password_is_unchanged, set_password
from platform_site.changes.services import ChangeEvent
from platform_site.site.welcome.models import Welcome
from platform_site.site.welcome.services import agreement_digest
from tests.demo.conftest import small_demo
from tests.site.welcome.conftest import NEW, WIZARD, Newcomer, row

pytestmark = pytest.mark.django_db
AGREEMENT, PASSWORD, COMPANY, READY = (
    f"{WIZARD}{step}" for step in ("agreement", "password", "company", "ready")
)


def events():
    found = ChangeEvent.objects.filter(model="Installation").order_by("pk")
    return [(event.user_name, event.changes) for event in found]


def test_the_whole_way_to_an_empty_company(newcomer):
    assert "PLATFORM LICENCE AGREEMENT" in newcomer.reads(AGREEMENT)
    assert newcomer.accepts() == PASSWORD
    assert newcomer.chooses_password() == COMPANY
    assert newcomer.chooses("empty") == READY
    assert "Your company is ready" in newcomer.reads(READY)
    assert newcomer.opens("/") == "/admin/"
    assert newcomer.opens(WIZARD) == "/admin/"
    assert not UnitOfMeasure.objects.exists()
    assert get_installation() is None


def test_the_history_names_the_accepted_text_and_who_accepted_it(newcomer):
    newcomer.accepts()
    assert (row().accepted_by, row().agreement) == ("admin", agreement_digest())
    ((name, changes),) = events()
    assert name == "admin"
    assert agreement_digest() in changes["licenceAgreement"][1]


def test_a_text_that_was_not_shown_cannot_be_accepted(newcomer):
    assert newcomer.sends("agreement", digest="of another text") == AGREEMENT
    assert "The licence agreement has changed" in newcomer.reads(AGREEMENT)
    assert not Welcome.objects.exists()


def test_the_password_is_changed_and_the_session_lives_on(newcomer):
    """HOST-160."""
    newcomer.accepts()
    newcomer.chooses_password()
    assert newcomer.opens("/admin/import") == "/admin/import"
    assert Newcomer(password=NEW)
    assert not default_password_is_unchanged()
    (event,) = ChangeEvent.objects.filter(model="Users", action="updated")
    assert event.user_name == "admin"


@pytest.mark.parametrize(
    ("first", "again", "sentence"),
    [
        ("Admin123!", "Admin123!", "This password is published in the documentation"),
        ("short", "short", "too short"),
        ("administrator", "administrator", "common"),
        (NEW, "another", "match"),
        ("", "", "required"),
    ],
)
def test_a_password_that_is_no_good_is_refused(newcomer, first, again, sentence):
    newcomer.accepts()
    answer = newcomer.client.post(
        PASSWORD, {"new_password1": first, "new_password2": again}
    )
    text = answer.content.decode()
    assert answer.status_code == 200
    assert sentence in text
    assert "The password was not changed" in text
    assert default_password_is_unchanged()


def test_every_other_step_leads_to_the_one_that_is_next(newcomer):
    for step in (PASSWORD, COMPANY, READY):
        assert newcomer.opens(step) == AGREEMENT
    newcomer.accepts()
    for step in (AGREEMENT, COMPANY, READY):
        assert newcomer.opens(step) == PASSWORD
    newcomer.chooses_password()
    for step in (AGREEMENT, PASSWORD, READY):
        assert newcomer.opens(step) == COMPANY


def test_a_form_sent_twice_decides_once(newcomer):
    assert newcomer.accepts() == newcomer.accepts() == PASSWORD
    assert newcomer.chooses_password() == COMPANY
    assert newcomer.chooses_password("yet another phrase") == COMPANY
    assert Newcomer(password=NEW)
    assert newcomer.chooses("empty") == READY
    assert newcomer.chooses("demo") == READY
    assert row().company == "empty"
    assert len(events()) == 2


def test_a_step_cannot_be_taken_before_its_turn(newcomer):
    newcomer.sends("company", company="empty")
    newcomer.sends("password", new_password1=NEW, new_password2=NEW)
    assert default_password_is_unchanged()
    assert not Welcome.objects.exists()


def test_an_answer_that_is_none_decides_nothing(at_company):
    assert at_company.chooses("something else") == COMPANY
    assert row().finished_at is None


def test_not_now_lasts_until_the_next_sign_in_and_resumes_there(newcomer):
    newcomer.accepts()
    assert newcomer.sends("later") == "/admin/"
    for path in ("/", "/admin/"):
        assert newcomer.opens(path) == "/admin/"
    assert newcomer.opens(WIZARD) == PASSWORD
    newcomer.client.logout()
    assert Newcomer().opens("/") == PASSWORD


def test_a_password_changed_elsewhere_skips_its_step(newcomer):
    newcomer.accepts()
    set_password(user=User.objects.get(username="admin"), password=NEW)
    assert Newcomer(password=NEW).opens("/") == COMPANY


def test_of_two_people_the_second_sees_what_the_first_decided(newcomer, second):
    other = second()
    newcomer.accepts()
    assert other.accepts() == PASSWORD
    assert row().accepted_by == "admin"
    assert other.chooses_password() == COMPANY
    # The first was signed in with the old password.
    answer = newcomer.client.get(COMPANY)
    assert answer["Location"].startswith("/admin/login/")
    assert other.chooses("empty") == READY
    again = Newcomer(password=NEW)
    assert again.opens("/") == "/admin/"
    assert again.chooses("demo") == READY


def test_where_the_demo_is_there_already_nothing_is_left_to_choose(newcomer, embed):
    embed(small_demo())
    newcomer.accepts()
    seed()
    newcomer.chooses_password()
    assert newcomer.opens("/") == READY
    assert "The demo company is ready" in newcomer.reads(READY)
    assert row().company == "demo"
    assert newcomer.opens("/admin/") == "/admin/"


def test_where_a_start_loaded_the_demo_there_is_no_wizard(newcomer, embed):
    embed(small_demo())
    seed()
    assert newcomer.opens("/") == "/admin/"


def test_without_a_company_to_load_progress_only_asks_for_the_page(at_company):
    answer = at_company.client.get(f"{COMPANY}/progress")
    assert answer["HX-Refresh"] == "true"
