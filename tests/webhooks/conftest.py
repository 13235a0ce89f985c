"""What the tests of webhooks share: a receiver over https, and webhooks of users."""

from __future__ import annotations

import pytest

from platform_site.accounts.models import User
from platform_site.webhooks.models import EventType
from platform_site.webhooks.services import create_webhook
from tests.catalogs.processors.source import write_certificate
from tests.site.api.conftest import admin, reader  # noqa: F401 - fixtures
from tests.webhooks.receiver import receiving


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    return write_certificate(tmp_path_factory.mktemp("receiver"))


@pytest.fixture
def trusted(certificate, monkeypatch, settings):
    """Trust the receiver, which is on this computer."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    settings.PLATFORM_WEBHOOKS_ALLOW_PRIVATE = True


@pytest.fixture
def receiver(certificate, trusted):
    with receiving(certificate) as one:
        yield one


@pytest.fixture
def boss(db):
    return User.objects.get(username="admin")


@pytest.fixture
def hook(boss, receiver):
    """Return a function that creates a webhook for events, of the administrator."""

    def made(*events, user=boss, **values):
        given = {"url": receiver.url, "events": [*events] or [EventType.RECORD_CHANGED]}
        return create_webhook(user=user, values={**given, **values})

    return made
