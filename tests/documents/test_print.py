"""The page that prints a document."""

from __future__ import annotations

from datetime import date

import pytest

from catalogs.constants import set_value
from documents.constants import COMPANY_ADDRESS, COMPANY_NAME, COMPANY_TAX_NUMBER
from platform_site.records.services import update_record
from tests.catalogs.rows import boss
from tests.documents.rows import a_documents_clerk
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def issue(world):
    world.receipt((world.rice, 5, 1))
    values = {"address": "1 Mill Lane\nHollowmere", "taxNumber": "TX-1"}
    update_record(row=world.partner, data=values, actor=boss())
    return world.issue((world.rice, "1.5", "1234.5"), (world.freight, 1, 7), on=2)


def printed(client, row, **query):
    answer = client.get(url(row, "print"), query)
    assert answer.status_code == 200, answer
    return answer.content.decode().replace("\xa0", " ")


def test_an_issue_is_printed_with_lines_and_total(page, issue):
    text = printed(page, issue)
    for each in (
        f"Goods issue {issue.code}",
        "1 Mill Lane<br>Hollowmere",
        "TX-1",
        "2 Mar 2026",
        "16 Mar 2026",
        "1.5",
        "1,234.50",
        "1,851.75",
        "1,858.75 EUR",
    ):
        assert each in text
    assert "not posted" not in text


def test_the_letterhead_is_that_of_the_date_of_the_document(page, issue):
    text = printed(page, issue)
    assert "The letterhead is empty" in text
    names = (COMPANY_NAME, COMPANY_ADDRESS, COMPANY_TAX_NUMBER)
    for name, value in zip(names, ("Millrace", "Yard 4", "TX-9"), strict=True):
        set_value(name=name, value=value, actor=boss())
    later = date(2026, 3, 3)
    set_value(name=COMPANY_NAME, value="Later", actor=boss(), effective_date=later)
    text = printed(page, issue)
    assert "Millrace" in text
    assert "Yard 4" in text
    assert "TX-9" in text
    assert "Later" not in text
    assert "The letterhead is empty" not in text


def test_a_document_is_printed_in_the_chosen_language(page, issue):
    text = printed(page, issue, language="de")
    assert 'lang="de"' in text
    assert "1.858,75 EUR" in text
    assert 'lang="en"' in printed(page, issue, language="xx")


def test_a_draft_says_that_it_is_not_posted(page, world):
    order = world.order((world.rice, 1, 2), dueDate="2026-03-09")
    text = printed(page, order)
    assert "not posted" in text
    assert "9 Mar 2026" in text


def test_a_payment_is_printed_without_lines(page, world):
    payment = world.payment(7, purpose="Thank you")
    text = printed(page, payment)
    assert "7.00 EUR" in text
    assert "Thank you" in text
    assert "<th " not in text


def test_the_page_has_no_style_or_script_of_its_own(page, issue):
    text = printed(page, issue)
    assert "style=" not in text
    assert text.count("<script") == text.count("<script src=") == 1


def test_printing_needs_the_right_to_see_the_document(client, issue):
    client.force_login(a_documents_clerk("view_salesorder"))
    assert client.get(url(issue, "print")).status_code == 403


def test_a_missing_document_is_not_found(page, issue):
    address = url(issue, "print").replace(f"/{issue.pk}/", "/4711/")
    assert page.get(address).status_code == 404
