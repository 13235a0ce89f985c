"""A browser at the administration pages of a served installation. It complains of errors
in scripts, of what the content policy forbids, and of any other host that is asked."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect, sync_playwright

from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.environment import in_ci
from tests.journeys.installation import LIMIT_SECONDS

LIMIT_MS = LIMIT_SECONDS * 1000
# The menu alone has more than fifty links.
_MOST_TABS = 80
_IN_FOCUS = "selector => document.activeElement?.matches(selector)"
_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def browser_trouble():
    """Return why there is no browser to test with, an empty text if there is one."""
    return "" if _CHROMIUM else "There is no chromium to test the pages with."


@contextmanager
def chromium():
    """Open a browser; skip where there is none, and fail there in CI."""
    trouble = browser_trouble()
    if trouble:
        # In CI a skipped test would pass for a good one.
        assert not in_ci(), trouble
        pytest.skip(trouble)
    expect.set_options(timeout=LIMIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_CHROMIUM, args=["--no-sandbox"]
        )
        try:
            yield browser
        finally:
            browser.close()


class Person:
    """Somebody signed in, with a window of their own."""

    zone = "Asia/Tokyo"

    def __init__(
        self,
        browser,
        url,
        name="admin",
        password=DEFAULT_ADMIN_PASSWORD,
        first="/admin/import",
        **window,
    ):
        self.url = url
        self.complaints = []
        self.context = browser.new_context(timezone_id=self.zone, **window)
        self.context.set_default_timeout(LIMIT_MS)
        self.page = self.context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._watch)
        self.sign_in(name, password, first)

    def _hear(self, message):
        if message.type == "error" and "Content Security" in message.text:
            self.complaints.append(message.text)

    def _watch(self, request):
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.complaints.append(f"It asked {request.url}.")

    def sign_in(self, name, password, first):
        """Sign in on the way to a page."""
        self.page.goto(f"{self.url}/admin/login/?next={first}")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", password)
        self.page.click("[type=submit]")

    def open(self, path="/admin/import"):
        """Open a page."""
        self.page.goto(f"{self.url}{path}")

    def choose(self, package, name="package.json"):
        """Choose a package file on the import page."""
        content = package.as_bytes()
        kind = "application/json"
        file = {"name": name, "mimeType": kind, "buffer": content}
        self.page.set_input_files("#package-file", files=[file])

    def press(self, name, within="body"):
        """Press a button."""
        self.page.locator(within).get_by_role("button", name=name).click()

    def sign_out(self):
        """Sign out in the person menu."""
        self.page.locator(".person-menu > summary").click()
        self.press("Log out")
        self.sees("Logged out")

    def tab_to(self, selector):
        """Press Tab until something is in focus, as who has no mouse does.

        The scripts of the page are there by then: they keep the focus where it is.
        """
        self.page.wait_for_load_state()
        for _ in range(_MOST_TABS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(_IN_FOCUS, selector):
                return
        raise AssertionError(f"Nobody gets to {selector} by keyboard.")

    def sees(self, words, within="body"):
        """Wait until words are there."""
        expect(self.page.locator(within)).to_contain_text(words)


class CountedPerson(Person):
    """Somebody who begins at the start page, and whose clicks are counted."""

    zone = "UTC"

    def __init__(self, browser, url, **who):
        super().__init__(browser, url, first="/admin/", **who)
        self.clicks = 0

    def click(self, name, within="main", role="link"):
        """Click on what has this name, or one that a pattern finds."""
        place = self.page.locator(within)
        place.get_by_role(role, name=name, exact=isinstance(name, str)).first.click()
        self.clicks += 1
