"""Notifications by e-mail: who gets one, what it says, and what happens if the mail
server is away."""

from __future__ import annotations

import email
import email.policy
import threading
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client

from platform_site.notifications import mails
from platform_site.notifications.mails import is_mail_due, send_due_mails
from platform_site.notifications.models import Notification, OutgoingMail
from platform_site.notifications.services import notify_failure
from platform_site.scheduling.models import JobExecution
from platform_site.scheduling.scheduler import Scheduler
from tests.notifications import mail_server
from tests.processing.users import a_person
from tests.scheduling.jobs import NOON, MovedClock

pytestmark = pytest.mark.django_db
PAGE = "/admin/notifications/"


@pytest.fixture
def server(settings):
    """Return a mail server that the settings name."""
    with mail_server.running() as running:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = running.server_address
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        settings.DEFAULT_FROM_EMAIL = "platform@example.com"
        yield running


@pytest.fixture
def owner(db):
    return a_person(is_staff=True, email="owner@example.com", password="p")


def fail(*owners, name="Prices", at=NOON):
    notification = Notification(
        kind=Notification.Kind.JOB_FAILED, subject=name, reason="No connection.", at=at
    )
    notify_failure(f"job:{name}", notification, owners=[one.pk for one in owners])


def received(server):
    found = [
        email.message_from_string(m, policy=email.policy.default)
        for m in server.messages
    ]
    return [(one["To"], one["Subject"].strip(), one.get_content()) for one in found]


def test_the_owner_gets_a_message(server, owner):
    fail(owner)
    assert is_mail_due(NOON)
    assert send_due_mails(NOON) == 1
    ((to, subject, text),) = received(server)
    assert (to, subject) == ("owner@example.com", "The job “Prices” failed.")
    assert "No connection." in text
    assert "(UTC)" in text
    assert not is_mail_due(NOON + timedelta(days=9))
    assert send_due_mails(NOON) == 0


def test_a_message_has_the_language_and_zone_of_its_reader_and_a_link(
    server, owner, settings
):
    settings.PLATFORM_SITE_ADDRESS = "https://erp.example.com"
    owner.language, owner.time_zone = "de", "Europe/Berlin"
    owner.is_superuser = True
    owner.save()
    fail(owner)
    row = Notification.objects.get(user=owner)
    row.target_id = 7
    row.save()
    send_due_mails(NOON)
    ((_to, subject, text),) = received(server)
    assert subject == "Die Aufgabe „Prices“ ist fehlgeschlagen."
    assert "(Europe/Berlin)" in text
    link = "https://erp.example.com/admin/scheduling/jobexecution/7/change/"
    assert link in text


def test_without_an_address_or_a_mail_server_there_is_no_message(
    server, owner, settings
):
    fail(a_person(is_staff=True), name="Other")
    settings.EMAIL_HOST = ""
    fail(owner)
    assert not OutgoingMail.objects.exists()
    assert Notification.objects.count() == 2


def test_a_message_is_written_with_its_notification_or_not_at_all(server, owner):
    with transaction.atomic():
        fail(owner)
        transaction.set_rollback(True)
    assert not OutgoingMail.objects.exists()


def test_a_refused_message_is_tried_again_and_given_up_in_the_end(server, owner):
    server.refusal = "550 no such mailbox"
    fail(owner)
    now, tries = NOON, 0
    while (mail := OutgoingMail.objects.get()).due_at is not None:
        assert send_due_mails(mail.due_at - timedelta(seconds=1)) == 0
        now = mail.due_at
        send_due_mails(now)
        tries += 1
    assert (tries, server.messages) == (7, [])
    assert timedelta(hours=20) < now - NOON < timedelta(hours=24)
    assert "no such mailbox" in mail.error
    browser = Client()
    browser.force_login(owner)
    page = browser.get("/admin/notifications/").content.decode()
    assert "The e-mail to owner@example.com wasn" in page
    assert "no such mailbox" in page


def test_a_server_that_comes_back_gets_the_message(server, owner, settings):
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    fail(owner)
    assert send_due_mails(NOON) == 0
    settings.EMAIL_PORT = port
    assert send_due_mails(NOON + timedelta(seconds=59)) == 0
    assert send_due_mails(NOON + timedelta(seconds=60)) == 1
    assert OutgoingMail.objects.get().error == ""


def test_one_refused_message_does_not_stop_the_others(server, owner):
    other = a_person(is_staff=True, email="other@example.com")
    fail(owner, other)
    OutgoingMail.objects.filter(address="owner@example.com").update(address="a\nb@c.de")
    assert send_due_mails(NOON) == 1
    assert [to for to, _subject, _text in received(server)] == ["other@example.com"]


def test_a_message_of_a_killed_process_is_sent_later(server, owner, monkeypatch):
    fail(owner)

    def killed(*_args):
        raise SystemExit

    monkeypatch.setattr(mails, "_message", killed)
    with pytest.raises(SystemExit):
        send_due_mails(NOON)
    monkeypatch.undo()
    assert send_due_mails(NOON + timedelta(minutes=1)) == 1


@pytest.mark.django_db(transaction=True)
def test_two_processes_send_a_message_once(server, owner):
    for number in range(20):
        fail(owner, name=f"Job {number}")
    begin = threading.Barrier(2)

    def send():
        begin.wait()
        try:
            send_due_mails(NOON)
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    subjects = [subject for _to, subject, _text in received(server)]
    assert len(subjects) == len(set(subjects)) == 20


@pytest.mark.django_db(transaction=True)
def test_the_scheduler_sends_what_is_due(server, owner):
    fail(owner, at=NOON + timedelta(minutes=5))
    clock = MovedClock(NOON)
    scheduler = Scheduler(clock, spawn=lambda name, work: work())
    try:
        scheduler._polled()
        assert server.messages == []
        clock.move(minutes=5)
        scheduler._polled()
    finally:
        scheduler._lock.release()
    assert len(server.messages) == 1
    assert not JobExecution.objects.exists()


class TestCommand:
    """`manage.py test_mail`."""

    def test_it_says_what_the_server_took(self, server, capsys):
        call_command("test_mail", "somebody@example.com")
        port = server.server_address[1]
        assert capsys.readouterr().out == (
            f"127.0.0.1:{port} took the message from platform@example.com to "
            "somebody@example.com.\n"
        )
        assert [to for to, _subject, _text in received(server)] == [
            "somebody@example.com"
        ]

    def test_it_says_what_the_server_refused(self, server):
        server.refusal = "554 relaying is forbidden"
        with pytest.raises(CommandError, match="relaying is forbidden") as refusal:
            call_command("test_mail", "somebody@example.com")
        assert refusal.value.returncode == 1

    def test_a_wrong_call_is_refused(self, server, settings):
        with pytest.raises(CommandError, match="isn't an e-mail address") as refusal:
            call_command("test_mail", "somebody")
        assert refusal.value.returncode == 2
        settings.EMAIL_HOST = ""
        with pytest.raises(CommandError, match="Mail:Host"):
            call_command("test_mail", "somebody@example.com")


class TestPage:
    """The test message on the page of notifications, for administrators."""

    @pytest.fixture
    def admin(self, client):
        user = a_person(
            is_staff=True, is_superuser=True, email="admin@example.com", password="p"
        )
        client.force_login(user)
        return user

    def sent(self, client):
        answer = client.post(PAGE, {"action": "test-mail"}, follow=True)
        return [str(one) for one in answer.context["messages"]]

    def test_an_administrator_sends_a_message_to_themselves(
        self, server, admin, client
    ):
        page = client.get(PAGE).content.decode()
        assert "Send a test message to admin@example.com" in page
        (said,) = self.sent(client)
        assert said.endswith("from platform@example.com to admin@example.com.")
        assert [to for to, _subject, _text in received(server)] == [admin.email]

    def test_it_says_what_the_server_refused(self, server, admin, client):
        server.refusal = "554 relaying is forbidden"
        (said,) = self.sent(client)
        assert "didn't take the message" in said
        assert "relaying is forbidden" in said

    def test_without_a_server_or_an_address_the_page_says_so(
        self, server, admin, client, settings
    ):
        admin.email = ""
        admin.save()
        assert "no e-mail address; with one" in client.get(PAGE).content.decode()
        assert "no e-mail address" in self.sent(client)[0]
        settings.EMAIL_HOST = ""
        assert "no mail server is set" in client.get(PAGE).content.decode()
        assert server.messages == []

    def test_others_neither_see_nor_send_it(self, server, owner, client):
        client.force_login(owner)
        assert "test-mail" not in client.get(PAGE).content.decode()
        assert client.post(PAGE, {"action": "test-mail"}).status_code == 403
        assert server.messages == []
