"""A new installation that nobody has decided anything about, and a person at its pages."""

from __future__ import annotations

import pytest
from django.test import Client

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.models import User
from platform_site.site.welcome import demo_loading
from platform_site.site.welcome.models import Welcome
from platform_site.site.welcome.services import agreement_digest
from tests.demo.conftest import embed as embed  # a fixture, offered here too

WIZARD = "/admin/welcome/"
NEW = "a long pass phrase"


class Newcomer:
    """Opens pages and sends the forms of the wizard."""

    def __init__(self, user_name="admin", password=DEFAULT_ADMIN_PASSWORD):
        self.client = Client()
        assert self.client.login(username=user_name, password=password)

    def opens(self, path):
        """Return the address somebody ends at who opens a path."""
        answer = self.client.get(path, follow=True)
        assert answer.status_code == 200
        return answer.redirect_chain[-1][0] if answer.redirect_chain else path

    def reads(self, path):
        answer = self.client.get(path)
        assert answer.status_code == 200, answer
        return answer.content.decode()

    def sends(self, step, **fields):
        """Send the form of a step; return the address it leads to."""
        answer = self.client.post(WIZARD + step, fields)
        assert answer.status_code == 302, answer.content.decode()
        return answer["Location"]

    def accepts(self):
        return self.sends("agreement", digest=agreement_digest())

    def chooses_password(self, password=NEW):
        return self.sends("password", new_password1=password, new_password2=password)

    def chooses(self, company):
        return self.sends("company", company=company)


@pytest.fixture(autouse=True)
def nothing_decided(settings):
    """Take back what the settings of the tests decide."""
    settings.PLATFORM_SEED_ADMIN_PASSWORD = ""


@pytest.fixture
def newcomer(db):
    """Return `admin`, signed in for the first time."""
    yield Newcomer()
    demo_loading.wait()


@pytest.fixture
def at_company(newcomer):
    """Return `admin` at the last question."""
    newcomer.accepts()
    newcomer.chooses_password()
    return newcomer


@pytest.fixture
def second(db):
    """Return how another administrator signs in."""

    def sign_in():
        if not User.objects.filter(username="second").exists():
            User.objects.create_superuser("second", password="another pass phrase")
        return Newcomer("second", "another pass phrase")

    return sign_in


def row():
    """Return what the installation remembers of the wizard."""
    return Welcome.objects.get()
