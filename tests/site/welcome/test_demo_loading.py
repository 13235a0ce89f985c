"""The demo company comes in behind the pages: how far it is, what stops it, and how it
goes on."""

from __future__ import annotations

import io
import uuid
from contextlib import contextmanager

import pytest
from django.utils import timezone

from demo import seeding
from demo.removal import remove_demo_data
from demo.seeding import get_installation, seed
from importer import services
from importer.models import ImportRun
from importer.runs.lock import import_lock
from platform_site.accounts.models import User
from platform_site.site.welcome import demo_loading
from platform_site.site.welcome.models import Welcome
from tests.demo.conftest import broken, codes, small_demo, user_names
from tests.importer import background
from tests.site.welcome.conftest import NEW, WIZARD, Newcomer, row

pytestmark = pytest.mark.django_db(transaction=True)
COMPANY, READY = f"{WIZARD}company", f"{WIZARD}ready"
PROGRESS = f"{COMPANY}/progress"
PEOPLE = {"sales", "warehouse", "bookkeeping", "visitor"}


@pytest.fixture
def gate(monkeypatch, at_company):
    """Return a closed gate before every write of a run."""
    with background.gate(monkeypatch) as one:
        yield one
        one.opened.set()
        demo_loading.wait()


def test_the_demo_company_comes_in_with_its_people(at_company, embed):
    embed(small_demo())
    assert at_company.chooses("demo") == COMPANY
    demo_loading.wait()
    assert codes() == {"kg", "l"}
    assert user_names() == PEOPLE
    assert get_installation().package == "small-demo"
    assert at_company.opens("/") == "/admin/"
    page = at_company.reads(READY)
    assert "Demo123!" in page
    assert "API only" in page


def test_progress_is_seen_by_everybody_and_after_a_reload(
    gate, at_company, second, licensed, embed
):
    embed(small_demo())
    at_company.chooses("demo")
    gate.wait_for_a_run()
    for one in (at_company, second()):
        for _ in range(2):
            page = one.reads(COMPANY)
            assert "The demo company is being loaded" in page
            assert 'name="company"' not in page
        assert "<progress" in one.reads(PROGRESS)
    gate.opened.set()
    demo_loading.wait()
    answer = at_company.client.get(PROGRESS)
    assert (answer.content, answer["HX-Refresh"]) == (b"", "true")
    assert at_company.opens(COMPANY) == READY


def test_nobody_chooses_again_while_it_comes_in(
    gate, at_company, second, licensed, embed
):
    embed(small_demo())
    at_company.chooses("demo")
    gate.wait_for_a_run()
    chosen = row().run_id
    assert second().chooses("demo") == COMPANY
    assert at_company.chooses("empty") == COMPANY
    assert (row().run_id, row().finished_at) == (chosen, None)
    assert ImportRun.objects.count() == 1
    gate.opened.set()
    demo_loading.wait()
    assert row().run_id == chosen


def test_it_continues_while_the_wizard_is_postponed(gate, at_company, embed):
    embed(small_demo())
    at_company.chooses("demo")
    gate.wait_for_a_run()
    at_company.sends("later")
    gate.opened.set()
    demo_loading.wait()
    assert row().finished_at is not None


@contextmanager
def another_process(monkeypatch):
    """Answer requests as a process that carries out no load itself."""
    with monkeypatch.context() as hidden:
        hidden.setattr(demo_loading, "_going", {})
        yield


def hold(monkeypatch, module, name):
    """Let a load wait before it calls a function; return the gate it waits at."""
    one, called = background.Gate(), getattr(module, name)

    def held(*args, **kwargs):
        one.pass_through()
        return called(*args, **kwargs)

    monkeypatch.setattr(module, name, held)
    return one


@pytest.mark.parametrize(
    ("module", "before"),
    [(demo_loading, "seed"), (seeding, "_make_demo_installation")],
    ids=["the run has begun", "its people are there"],
)
def test_no_other_process_begins_anew_before(
    module, before, at_company, embed, monkeypatch
):
    embed(small_demo())
    gate = hold(monkeypatch, module, before)
    at_company.chooses("demo")
    gate.wait_for_a_run()
    chosen = row().run_id
    try:
        with another_process(monkeypatch):
            assert "The demo company is being loaded" in at_company.reads(COMPANY)
            assert "<progress" in at_company.reads(PROGRESS)
            for company in ("demo", "empty"):
                assert at_company.chooses(company) == COMPANY
                assert (row().run_id, row().finished_at) == (chosen, None)
    finally:
        gate.opened.set()
        demo_loading.wait()
    assert at_company.opens(COMPANY) == READY
    assert ImportRun.objects.count() == 1


def test_errors_are_shown_and_a_retry_continues(at_company, embed):
    embed(broken())
    at_company.chooses("demo")
    demo_loading.wait()
    page = at_company.reads(COMPANY)
    assert "The demo company is not loaded yet." in page
    assert "steps[0].items[1].code: " in page
    assert f"/admin/import?run={row().run_id}" in page
    assert "Try again" in page
    assert user_names() == set()
    assert at_company.opens("/") == COMPANY

    embed(small_demo())
    at_company.chooses("demo")
    demo_loading.wait()
    assert at_company.opens(COMPANY) == READY
    assert user_names() == PEOPLE


def test_after_errors_an_empty_company_may_be_chosen(at_company, embed):
    embed(broken())
    at_company.chooses("demo")
    demo_loading.wait()
    assert at_company.chooses("empty") == READY
    assert row().company == "empty"


def test_an_import_elsewhere_is_named_and_keeps_the_demo_out(at_company, embed):
    embed(small_demo())
    with import_lock("somebody", "an import"):
        at_company.chooses("demo")
        demo_loading.wait()
    page = at_company.reads(COMPANY)
    assert "An import is in progress" in page
    assert "Try again" in page
    at_company.chooses("demo")
    demo_loading.wait()
    assert at_company.opens(COMPANY) == READY


def test_a_running_import_is_shown_before_the_choice(gate, at_company):
    services.start_run(
        io.BytesIO(small_demo().as_bytes()), user=User.objects.get(username="admin")
    )
    gate.wait_for_a_run()
    assert "An import is running, started by admin." in at_company.reads(COMPANY)
    gate.open()
    assert "An import is running" not in at_company.reads(COMPANY)


def test_a_process_that_died_while_loading_is_no_progress(at_company, embed):
    embed(small_demo())
    run = ImportRun.objects.create(
        run_id=uuid.uuid4(),
        package="small-demo",
        started_at=timezone.now(),
        started_by_name="admin",
        time_zone="UTC",
    )
    Welcome.objects.update(company="demo", run_id=run.pk)
    page = at_company.reads(COMPANY)
    assert "It was interrupted." in page
    run.refresh_from_db()
    assert run.status == "Interrupted"
    at_company.chooses("demo")
    demo_loading.wait()
    assert at_company.opens(COMPANY) == READY


def test_a_process_that_died_before_its_run_began_is_no_progress(at_company, embed):
    embed(small_demo())
    Welcome.objects.update(company="demo", run_id=uuid.uuid4())
    assert "It was interrupted." in at_company.reads(COMPANY)


def test_a_process_that_died_just_before_the_end_is_no_trouble(at_company, embed):
    embed(small_demo())
    Welcome.objects.update(company="demo", run_id=uuid.uuid4())
    seed()
    assert at_company.opens("/") == READY


def test_people_beyond_the_licence_keep_the_demo_out(at_company, second, embed):
    embed(small_demo())
    second()
    at_company.chooses("demo")
    demo_loading.wait()
    assert "The demo users cannot be added." in at_company.reads(COMPANY)
    assert codes() == set()


def test_users_who_take_the_last_places_are_reported(gate, at_company, second, embed):
    embed(small_demo())
    at_company.chooses("demo")
    gate.wait_for_a_run()
    second()
    gate.opened.set()
    demo_loading.wait()
    assert "The licence allows 5 users, and 6 would" in at_company.reads(COMPANY)
    assert get_installation() is None


def test_a_failure_nobody_foresaw_is_a_sentence_too(at_company, embed, monkeypatch):
    embed(small_demo())

    def fail(*args, **kwargs):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(demo_loading, "seed", fail)
    at_company.chooses("demo")
    demo_loading.wait()
    page = at_company.reads(COMPANY)
    assert "see the server log for the reason" in page
    assert "the disk is full" not in page


def test_what_was_removed_comes_back_for_those_who_ask_here(at_company, embed):
    embed(small_demo())
    seed()
    remove_demo_data(actor=User.objects.get(username="admin"))
    assert at_company.opens("/") == COMPANY
    at_company.chooses("demo")
    demo_loading.wait()
    assert codes() == {"kg", "l"}
    assert at_company.opens(COMPANY) == READY


def test_the_password_of_the_session_is_the_new_one(at_company):
    assert Newcomer(password=NEW).opens("/") == COMPANY
