"""The path of the automation page, below `/admin/`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from platform_site.site.automation.views import automation_page

urlpatterns = [
    path("automation/", admin.site.admin_view(automation_page), name="automation"),
]
