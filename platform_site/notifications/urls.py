"""The path of the notifications page, below `/admin/`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from platform_site.notifications import pages

urlpatterns = [
    path(
        "notifications/",
        admin.site.admin_view(pages.notifications_page),
        name="notifications",
    ),
]
