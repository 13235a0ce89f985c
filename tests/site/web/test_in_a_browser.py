"""The administration in a real browser, under the policy that every page carries."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.first_start import started_once
from tests.site.host.processes import announced, start, stop

CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="There is no chromium here."),
]
GROUNDS = {"dark": "rgb(28, 32, 34)", "light": "rgb(250, 250, 250)"}
PAGES = [
    "/admin/",
    "/admin/catalogs/item/",
    "/admin/catalogs/item/add/",
    "/admin/catalogs/constant/add/",
    "/admin/documents/goodsissue/",
    "/admin/documents/goodsissue/add/",
    "/admin/documents/ledgerentry/",
    "/admin/accounts/user/",
    "/admin/accounts/user/1/change/",
    "/admin/changes/changeevent/",
    "/admin/import",
    "/swagger",
    "/no/such/page",
]


def test_nothing_of_the_administration_is_blocked(tmp_path):
    """HOST-152."""
    playwright = pytest.importorskip("playwright.sync_api")
    # Chosen, so that no wizard stands before the start page.
    chosen = {"Platform__Seed__AdminPassword": DEFAULT_ADMIN_PASSWORD}
    served = start(started_once(tmp_path / "data"), **chosen)
    announced(served)
    try:
        with playwright.sync_playwright() as engine:
            browser = engine.chromium.launch(
                executable_path=str(CHROMIUM), args=["--no-sandbox"]
            )
            page = browser.new_page()
            told = []
            page.on("console", lambda message: told.append(message.text))
            page.on("pageerror", lambda error: told.append(str(error)))
            page.goto(f"{served.url}/admin/")
            page.fill("#id_username", "admin")
            page.fill("#id_password", DEFAULT_ADMIN_PASSWORD)
            page.click("[type=submit]")
            for path in PAGES:
                page.goto(f"{served.url}{path}", wait_until="networkidle")
                assert "no-scripts" not in (
                    page.locator("body").get_attribute("class") or ""
                )
            page.goto(f"{served.url}/admin/catalogs/constant/add/")
            page.click(".datetimeshortcuts a >> nth=0")
            assert page.locator(".vDateField").first.input_value()
            for scheme, ground in GROUNDS.items():
                page.emulate_media(color_scheme=scheme)
                page.goto(f"{served.url}/swagger")
                seen = "getComputedStyle(document.body).backgroundColor"
                assert page.evaluate(seen) == ground
            browser.close()
    finally:
        stop(served)
    blocked = [text for text in told if "Policy" in text or "Error:" in text]
    assert blocked == []
