"""The page of the demo data: what it tells, what its two buttons do, and for whom."""

from __future__ import annotations

import pytest
from django.urls import reverse

from catalogs.models import UnitOfMeasure
from demo.seeding import get_installation, seed
from importer.runs.lock import import_lock
from platform_site.accounts.models import User
from tests.builders import edit_row, row_of
from tests.demo.conftest import small_demo

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    user = User.objects.get(username="admin")
    client.force_login(user)
    return user


@pytest.fixture
def seeded(embed):
    embed(small_demo())
    seed()


def page():
    return reverse("admin:demo_demoinstallation_changelist")


def said(answer):
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_names_the_demo_and_offers_a_dry_run_first(client, admin, seeded):
    text = said(client.get(page()))
    assert "The package small-demo was seeded" in text
    assert 'name="dry-run"' in text
    assert 'name="remove"' not in text


def test_a_dry_run_shows_what_stays_and_why_and_then_the_removal_is_offered(
    client, admin, seeded
):
    edit_row(row_of("UnitsOfMeasure", "kg"), actor=admin, name="mine")
    text = said(client.post(page(), {"dry-run": "1"}))
    assert "What would be removed" in text
    assert "A user changed it." in text
    assert 'name="remove"' in text
    assert UnitOfMeasure.objects.live().count() == 2


def test_the_removal_removes_and_the_page_says_so_from_then_on(client, admin, seeded):
    text = said(client.post(page(), {"remove": "1"}))
    assert "What was removed" in text
    assert not UnitOfMeasure.objects.live().exists()
    assert get_installation() is None
    text = said(client.get(page()))
    assert "seed_demo small-demo" in text
    assert 'type="submit" name=' not in text


def test_a_refusal_is_a_message_on_the_page(client, admin, seeded):
    with import_lock("somebody", "an import"):
        assert "An import is in progress" in said(client.post(page(), {"remove": "1"}))


def test_without_demo_data_the_page_says_that_and_the_overview_hides_it(client, admin):
    assert "no demo data" in said(client.get(page()))
    assert page() not in said(client.get(reverse("admin:index")))
    assert "no demo data" in said(client.post(page(), {"remove": "1"}))


def test_the_overview_of_a_demo_installation_leads_to_the_page(client, admin, seeded):
    assert page() in said(client.get(reverse("admin:index")))


@pytest.mark.parametrize("method", ["get", "post"])
def test_others_than_administrators_are_refused(client, seeded, method):
    client.force_login(User.objects.get(username="sales"))
    assert getattr(client, method)(page()).status_code == 403
    assert get_installation() is not None
