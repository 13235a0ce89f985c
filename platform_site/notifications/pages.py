"""The page of a user's own notifications."""

from __future__ import annotations

from typing import Any, Final, cast

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from platform_site.accounts.models import User
from platform_site.accounts.services import is_administrator
from platform_site.notifications import services
from platform_site.notifications.mails import (
    MailRefused,
    mail_server,
    send_test_mail,
)
from platform_site.notifications.models import Notification
from platform_site.notifications.texts import text_of

PER_PAGE: Final = 50
_TEST_MAIL: Final = "test-mail"
# The longest number that every database can compare with a key.
_MOST_DIGITS: Final = 18


def notifications_page(request: HttpRequest) -> HttpResponse:
    """List the user's notifications; POST marks one as read, or all without `id`, or
    sends an administrator a test message."""
    user = cast("User", request.user)
    if request.method == "POST":
        if request.POST.get("action") == _TEST_MAIL:
            _try_mail(request, user)
        else:
            _mark(user, request.POST.get("id", ""))
        return redirect("notifications")
    mine = Notification.objects.filter(user=user).select_related("mail")
    page = Paginator(mine, PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "title": _("Notifications"),
        "page": page,
        "notifications": [text_of(row, user) for row in page],
        "is_administrator": is_administrator(user),
        "mail_server": mail_server(),
        "mail_sender": settings.DEFAULT_FROM_EMAIL,
    }
    shown = {**admin.site.each_context(request), **context}
    return render(request, "notifications/list.html", shown)


def _try_mail(request: HttpRequest, user: User) -> None:
    """Send a test message to an administrator, and show what the mail server said."""
    if not is_administrator(user):
        raise PermissionDenied
    if not user.email:
        messages.error(
            request, _("Your account has no e-mail address; enter one first.")
        )
    elif not mail_server():
        messages.error(request, _("No mail server is set (Mail:Host)."))
    else:
        try:
            messages.success(request, send_test_mail(user.email))
        except MailRefused as refusal:
            messages.error(request, str(refusal))


def _mark(user: User, pk: str) -> None:
    if not pk:
        services.mark_read(user)
    elif pk.isascii() and pk.isdigit() and len(pk) <= _MOST_DIGITS:
        services.mark_read(user, int(pk))
