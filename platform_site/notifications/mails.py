"""The sending of notifications by e-mail.

A message that the server may have accepted just before the process died is sent once
more; none is lost. Several processes may send at the same time.
"""

from __future__ import annotations

import datetime
import logging
from smtplib import SMTPException
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import formats, timezone, translation
from django.utils.translation import gettext as _

from platform_site.accounts.languages import language_of
from platform_site.accounts.time_zones import zone_of
from platform_site.notifications.models import OutgoingMail
from platform_site.notifications.texts import text_of

logger = logging.getLogger("platform.notifications")
# Until the next attempt, in minutes; after the last the message is given up.
_PAUSES: Final = (1, 5, 30, 120, 360, 720)
# Messages sent over one connection.
_AT_ONCE: Final = 50
_LONGEST_ERROR: Final = 500
Failed = (SMTPException, OSError, ValueError)


def is_mail_due(now: datetime.datetime) -> bool:
    """Return whether messages wait to be sent."""
    if not settings.EMAIL_HOST:
        return False
    return OutgoingMail.objects.filter(due_at__lte=now).exists()


def send_due_mails(now: datetime.datetime) -> int:
    """Send the messages that are due, and return how many the server accepted."""
    due = OutgoingMail.objects.filter(due_at__lte=now).order_by("due_at", "pk")
    waiting = list(due.select_related("notification__user")[:_AT_ONCE])
    connection, sent = get_connection(), 0
    try:
        for mail in waiting:
            if _claim(mail, now):
                sent += _send(mail, connection, now)
    finally:
        _close(connection)
    return sent


class MailRefused(Exception):
    """A test message that the mail server didn't take, and what it said."""


def send_test_mail(address: str) -> str:
    """Send a test message at once, and return a sentence about it; raise MailRefused."""
    subject = _("Test message")
    text = _("Notifications of this installation will come from this address.")
    words = {"server": mail_server(), "address": address}
    try:
        EmailMessage(subject, text, to=[address]).send()
    except Failed as error:
        sentence = _("%(server)s didn't take the message: %(reason)s")
        raise MailRefused(sentence % {**words, "reason": reason_of(error)}) from None
    sentence = _("%(server)s took the message from %(sender)s to %(address)s.")
    return sentence % {**words, "sender": settings.DEFAULT_FROM_EMAIL}


def mail_server() -> str:
    """Return the name and port of the mail server, empty if none is set."""
    host = settings.EMAIL_HOST
    return f"{host}:{settings.EMAIL_PORT}" if host else ""


def reason_of(error: Exception) -> str:
    """Return what a failed attempt to send says, in one line."""
    return " ".join(f"{error}".split())[:_LONGEST_ERROR] or type(error).__name__


def _claim(mail: OutgoingMail, now: datetime.datetime) -> bool:
    """Count an attempt and set the time of the next one, before this one.

    Return whether no other process was faster.
    """
    before = {"pk": mail.pk, "attempts": mail.attempts, "due_at": mail.due_at}
    mail.attempts += 1
    mail.due_at = None
    if mail.attempts <= len(_PAUSES):
        pause = datetime.timedelta(minutes=_PAUSES[mail.attempts - 1])
        mail.due_at = now + pause
    claimed = OutgoingMail.objects.filter(**before)
    return bool(claimed.update(attempts=mail.attempts, due_at=mail.due_at))


def _send(
    mail: OutgoingMail, connection: BaseEmailBackend, now: datetime.datetime
) -> bool:
    try:
        message = _message(mail)
        message.connection = connection
        message.send()
    except Failed as error:
        mail.error = reason_of(error)
        mail.save(update_fields=["error"])
        ending = "it is tried again" if mail.due_at else "it is given up"
        logger.warning("A notification wasn't sent: %s; %s.", mail.error, ending)
        _close(connection)
        return False
    mail.sent_at, mail.due_at, mail.error = now, None, ""
    mail.save(update_fields=["sent_at", "due_at", "error"])
    return True


def _message(mail: OutgoingMail) -> EmailMessage:
    """Return a notification in the language and time zone of its reader."""
    row, reader = mail.notification, mail.notification.user
    language = language_of(reader) or settings.LANGUAGE_CODE
    zone = zone_of(reader)
    with translation.override(language), timezone.override(zone):
        shown = text_of(row, reader)
        local = timezone.localtime(row.at)
        when = formats.date_format(local, "SHORT_DATETIME_FORMAT")
        parts = [shown.text, row.reason, f"{when} ({zone})"]
        if shown.link and settings.PLATFORM_SITE_ADDRESS:
            parts.append(f"{settings.PLATFORM_SITE_ADDRESS}{shown.link}")
        parts.append(
            _(
                "You get this message as the owner of this job. It comes at the first "
                "failure, at the third in a row, then once a week, and when the job "
                "works again."
            )
        )
        text = "\n\n".join(part for part in parts if part)
        return EmailMessage(shown.text, text, to=[mail.address])


def _close(connection: BaseEmailBackend) -> None:
    """Close a connection, whose server may be gone."""
    try:
        connection.close()
    except Failed:
        logger.debug("The connection to the mail server was closed by it")
