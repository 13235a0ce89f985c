"""The first minutes of an installation in a browser: the wizard, from the first sign-in
to a company, left for later, and with a server that dies in the middle."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import Person
from tests.journeys.installation import SqliteInstallation, wait_until
from tests.journeys.test_accessibility import AXE, DARK, LIGHT, serious

pytestmark = pytest.mark.process
NEW = "a long pass phrase"


@pytest.fixture
def installation(tmp_path):
    """Return a new installation whose settings decide nothing."""
    return SqliteInstallation(tmp_path / "data", Platform__Seed__AdminPassword="")


@pytest.fixture
def newcomer(browser, installation):
    with installation.serving():
        person = Person(browser, installation.url, first="/")
        yield person
        person.context.close()
        assert person.complaints == []


def is_at(person, path):
    expect(person.page).to_have_url(re.compile(rf"{re.escape(path)}$"))


def accept(person):
    is_at(person, "/admin/welcome/agreement")
    person.sees("PLATFORM LICENCE AGREEMENT")
    person.press("Accept and continue")


def choose_password(person):
    is_at(person, "/admin/welcome/password")
    person.page.get_by_label("New password:").fill(NEW)
    person.page.get_by_label("New password confirmation:").fill(NEW)
    person.press("Change the password and continue")
    is_at(person, "/admin/welcome/company")


def test_the_whole_way_to_the_demo_company(newcomer):
    page = newcomer.page
    accept(newcomer)
    choose_password(newcomer)
    newcomer.press("Load the demo company")
    newcomer.sees("The demo company is being loaded")
    page.reload()
    newcomer.sees(re.compile(r"\d of \d+ · \d+ %|creating the demo users"))
    # From here on the page leads on by itself.
    is_at(newcomer, "/admin/welcome/ready")
    newcomer.sees("The demo company is ready")
    newcomer.sees("bookkeeping")
    page.get_by_role("link", name="Items").click()
    newcomer.sees("156", ".list-count")
    newcomer.open("/")
    is_at(newcomer, "/admin/")
    newcomer.open("/admin/welcome/")
    is_at(newcomer, "/admin/")


def test_later_postpones_the_wizard_to_the_next_sign_in(newcomer):
    """HOST-084."""
    page = newcomer.page
    accept(newcomer)
    newcomer.press("Not now")
    is_at(newcomer, "/admin/")
    newcomer.open("/")
    is_at(newcomer, "/admin/")
    newcomer.sign_out()
    newcomer.sign_in("admin", "Admin123!", "/")
    choose_password(newcomer)
    # What one goes back to is over: the page leads on.
    page.go_back()
    is_at(newcomer, "/admin/welcome/company")
    newcomer.press("Not now")
    newcomer.sign_out()
    newcomer.sign_in("admin", NEW, "/")
    is_at(newcomer, "/admin/welcome/company")


def test_an_empty_company_by_keyboard_alone(newcomer):
    page = newcomer.page
    is_at(newcomer, "/admin/welcome/agreement")

    def goes_to(name):
        """Press Tab until a button of this name has the focus, and press it."""
        button = page.get_by_role("button", name=name)
        for _ in range(20):
            page.keyboard.press("Tab")
            if button.evaluate("button => button === document.activeElement"):
                break
        expect(button).to_be_focused()
        page.keyboard.press("Enter")

    goes_to("Accept and continue")
    is_at(newcomer, "/admin/welcome/password")
    # The first field waits for what is typed.
    page.keyboard.type(NEW)
    page.keyboard.press("Tab")
    page.keyboard.type("something else")
    page.keyboard.press("Enter")
    newcomer.sees("The two password fields didn")
    expect(page.locator("#id_new_password1")).to_be_focused()
    page.keyboard.type(NEW)
    page.keyboard.press("Tab")
    page.keyboard.type(NEW)
    page.keyboard.press("Enter")
    is_at(newcomer, "/admin/welcome/company")
    goes_to("Start with an empty company")
    is_at(newcomer, "/admin/welcome/ready")
    newcomer.sees("Your company is ready")
    newcomer.open("/admin/catalogs/item/")
    newcomer.sees("There is nothing here yet.")


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light-wide", "dark-narrow"])
def test_no_step_hinders_anybody_seriously(look, browser, installation):
    with installation.serving():
        person = Person(browser, installation.url, first="/", **AXE, **look)
        is_at(person, "/admin/welcome/agreement")
        found = serious(person.page)
        accept(person)
        is_at(person, "/admin/welcome/password")
        found += serious(person.page)
        person.press("Change the password and continue")
        person.sees("The password was not changed")
        found += serious(person.page)
        choose_password(person)
        found += serious(person.page)
        person.press("Load the demo company")
        person.sees("The demo company is being loaded")
        found += serious(person.page)
        is_at(person, "/admin/welcome/ready")
        found += serious(person.page)
        wide = person.page.evaluate("document.documentElement.scrollWidth")
        person.context.close()
    assert found == []
    assert wide <= look["viewport"]["width"]


def test_a_password_is_changed_once_by_an_impatient_double_click(newcomer):
    accept(newcomer)
    page = newcomer.page
    page.get_by_label("New password:").fill(NEW)
    page.get_by_label("New password confirmation:").fill(NEW)
    page.get_by_role("button", name="Change the password").dblclick()
    is_at(newcomer, "/admin/welcome/company")


def test_a_server_that_dies_while_the_demo_comes_in(browser, installation):
    def items():
        ((count,),) = installation.rows("SELECT count(*) FROM catalogs_item")
        return count

    with installation.serving() as process:
        person = Person(browser, installation.url, first="/")
        accept(person)
        choose_password(person)
        person.press("Load the demo company")
        wait_until(lambda: items() > 10, process)
        process.kill()
        process.wait()
    assert installation.rows("SELECT * FROM demo_demoinstallation") == []
    with installation.serving():
        person.open("/")
        is_at(person, "/admin/welcome/company")
        person.sees("It was interrupted.")
        person.press("Try again")
        is_at(person, "/admin/welcome/ready")
    assert len(installation.rows("SELECT * FROM demo_demoinstallation")) == 1
    person.context.close()
