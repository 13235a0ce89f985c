"""An administrator has a price list fetched every night, and is told when that fails: from
the file to the notification above every page and the e-mail."""

from __future__ import annotations

import email
import email.policy
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from tests.catalogs.processors.source import serving, write_certificate
from tests.journeys.browser import Person
from tests.journeys.installation import BOTH, installed, wait_until
from tests.notifications import mail_server

pytestmark = pytest.mark.process
LIST = "Artikelnummer;Bezeichnung;ME;Preis €\n1;Öl;Stk;1,50\n2;Säge;Stk;1.234,50\n"
NOTHING_LIKE_IT = b"%PDF-1.7"
# The account that a job runs as may not change items yet.
PREPARE = """
from catalogs.models import UnitOfMeasure
from platform_site.accounts.models import User
from platform_site.records.services import create_record
admin = User.objects.get(username="admin")
User.objects.filter(pk=admin.pk).update(email="admin@example.com")
piece = {"code": "pcs", "name": "Pieces"}
create_record(model=UnitOfMeasure, data=piece, actor=admin)
User.objects.create_user("night-clerk", password="a long pass phrase")
"""


@pytest.fixture(params=BOTH)
def night(request, browser, tmp_path):
    """Return an administrator at a served installation, the supplier's server, and a mail
    server."""
    certificate = write_certificate(tmp_path)
    with (
        serving(certificate) as supplier,
        mail_server.running() as mails,
        installed(request.param, tmp_path / "data") as one,
    ):
        supplier.content = LIST.encode("cp1252")
        done = one.command("shell", "-c", PREPARE)
        assert done.returncode == 0, done.stderr
        host, port = mails.server_address
        one.env |= {
            "SSL_CERT_FILE": str(certificate),
            "Import__AllowPrivateAddresses": "true",
            "Mail__Host": host,
            "Mail__Port": str(port),
            "Mail__Encryption": "none",
            "Mail__From": "platform@example.com",
            "Mail__SiteAddress": one.url,
        }
        with one.serving():
            person = Person(browser, one.url)
            yield SimpleNamespace(
                page=person.page, person=person, supplier=supplier, mails=mails, one=one
            )
            person.context.close()
            assert person.complaints == []


def save_source(night):
    """Choose the file, and save how it is read and where it is fetched from."""
    file = {"name": "preise.csv", "mimeType": "text/csv"}
    content = night.supplier.content
    night.page.locator("main").get_by_role("link", name="Import a table").click()
    night.page.set_input_files("[type=file]", files=[{**file, "buffer": content}])
    night.person.press("Show the table")
    night.page.select_option("#table-constant-category", "goods")
    night.page.fill("#table-name", "prices")
    night.page.fill("#table-url", night.supplier.url("/preise.csv"))
    night.person.press("Save as a table source")


def plan_job(night):
    """Have it fetched every night at two, by an account that gets the rights for it."""
    night.page.get_by_role("link", name="Plan a job for it").click()
    night.page.select_option("#id_run_as", label="night-clerk")
    night.page.select_option("#id_when", label="Every day")
    night.page.fill("#id_at", "02:00")
    night.person.sees("lacks")
    night.page.check("#id_grant")
    night.page.locator("[name=_save]").click()


def run_now(night):
    """Have the job run at once, as the night would."""
    night.person.open("/admin/scheduling/job/")
    night.page.get_by_role("link", name="prices").first.click()
    night.person.press("Run now")


def executions(night, status):
    """Return how many executions ended so."""
    query = f"SELECT count(*) FROM scheduling_jobexecution WHERE status = '{status}'"
    ((number,),) = night.one.rows(query)
    return number


def test_a_list_is_fetched_every_night_and_a_failure_is_told(night):
    save_source(night)
    plan_job(night)
    night.person.sees("02:00")
    run_now(night)
    wait_until(lambda: executions(night, "Completed") == 1)
    assert night.one.rows("SELECT count(*) FROM catalogs_item") == [(2,)]
    night.supplier.content = NOTHING_LIKE_IT
    run_now(night)
    wait_until(lambda: night.mails.messages)
    (message,) = night.mails.messages
    told = email.message_from_string(message, policy=email.policy.default)
    assert told["To"] == "admin@example.com"
    assert "“prices” failed" in told["Subject"]
    assert "neither CSV" in told.get_content()
    night.person.open("/admin/")
    expect(night.page.locator(".bell")).to_contain_text("1")
    night.page.locator(".bell").click()
    night.person.sees("“prices” failed")
