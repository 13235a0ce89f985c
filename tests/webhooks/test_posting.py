"""Receivers that can't be reached, or answer in ways of their own."""

from __future__ import annotations

import threading

import pytest

from platform_site.processing.checked_connection import CheckedConnection
from platform_site.webhooks import posting
from platform_site.webhooks.models import Delivery
from tests.changes.feed_readers import an_event
from tests.site.host.processes import LIMIT_SECONDS
from tests.webhooks.receiver import receiving
from tests.webhooks.sender import serve

pytestmark = pytest.mark.django_db


def test_redirects_are_not_followed(hook, receiver, certificate):
    webhook = hook()
    an_event()
    receiver.answers = [307]
    with receiving(certificate) as other:
        receiver.elsewhere = other.url
        assert serve(webhook) == 0
    assert "307" in Delivery.objects.get().error
    assert len(receiver.messages) == 1
    assert other.messages == []


def test_private_addresses_are_refused_unless_allowed(hook, receiver, settings):
    webhook = hook()
    an_event()
    settings.PLATFORM_WEBHOOKS_ALLOW_PRIVATE = False
    assert serve(webhook) == 0
    assert "Webhooks:AllowPrivate" in Delivery.objects.get().error
    assert receiver.messages == []


def test_an_unknown_certificate_is_refused(hook, receiver, monkeypatch):
    webhook = hook()
    an_event()
    monkeypatch.delenv("SSL_CERT_FILE")
    assert serve(webhook) == 0
    assert "certificate of localhost" in Delivery.objects.get().error


def test_a_receiver_that_cannot_be_reached_is_said(hook, certificate, trusted):
    with receiving(certificate) as gone:
        url = gone.url
    webhook = hook(url=url)
    an_event()
    assert serve(webhook) == 0
    assert "localhost can't be reached" in Delivery.objects.get().error


def test_a_receiver_that_says_nothing_is_left(hook, receiver, monkeypatch):
    webhook = hook()
    an_event()
    over = threading.Event()
    receiver.before_answering = lambda: over.wait(LIMIT_SECONDS)
    monkeypatch.setattr(posting, "SECONDS", 0.5)
    assert serve(webhook) == 0
    over.set()
    assert len(receiver.messages) == 1
    assert "didn't answer within" in Delivery.objects.get().error


def test_what_a_receiver_says_is_stored_whatever_it_is(hook, receiver):
    webhook = hook()
    an_event()
    receiver.answers, receiver.content = [500], b"\0\xff no\r\nway " + b"x" * 9999
    assert serve(webhook) == 0
    error = Delivery.objects.get().error
    assert "no way xxx" in error
    assert len(error) < 400
    assert error.isprintable()


def test_one_connection_carries_the_messages_of_a_turn(hook, receiver, monkeypatch):
    opened = []
    connect = CheckedConnection.connect

    def counted(self):
        opened.append(self)
        connect(self)

    monkeypatch.setattr(CheckedConnection, "connect", counted)
    webhook = hook()
    for _number in range(5):
        an_event()
    assert serve(webhook) == 5
    assert len(opened) == 1
