"""The paths of the system page, below `/admin/`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from platform_site.site.system import views

_wrap = admin.site.admin_view

urlpatterns = [
    path("system/", _wrap(views.system_page), name="system"),
    path("system/backups/", _wrap(views.backups), name="system-backups"),
    path("system/backup/", _wrap(views.backup_now), name="system-backup"),
    path("system/backup/<str:name>/", _wrap(views.download), name="system-download"),
]
