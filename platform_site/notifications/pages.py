"""The page of a user's own notifications."""

from __future__ import annotations

from typing import Any, Final, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from platform_site.accounts.models import User
from platform_site.notifications import services
from platform_site.notifications.models import Notification
from platform_site.notifications.texts import text_of

PER_PAGE: Final = 50
# The longest number that every database can compare with a key.
_MOST_DIGITS: Final = 18


def notifications_page(request: HttpRequest) -> HttpResponse:
    """List the user's notifications; POST marks one as read, or all without `id`."""
    user = cast("User", request.user)
    if request.method == "POST":
        _mark(user, request.POST.get("id", ""))
        return redirect("notifications")
    mine = Notification.objects.filter(user=user).select_related("mail")
    page = Paginator(mine, PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "title": _("Notifications"),
        "page": page,
        "notifications": [text_of(row, user) for row in page],
    }
    shown = {**admin.site.each_context(request), **context}
    return render(request, "notifications/list.html", shown)


def _mark(user: User, pk: str) -> None:
    if not pk:
        services.mark_read(user)
    elif pk.isascii() and pk.isdigit() and len(pk) <= _MOST_DIGITS:
        services.mark_read(user, int(pk))
