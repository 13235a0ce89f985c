"""Where the pages of data processors are, below `/admin/`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import re_path

from platform_site.processing import pages

urlpatterns = [
    re_path(
        r"^processors/?$",
        admin.site.admin_view(pages.list_page),
        name="processors",
    ),
    re_path(
        r"^processors/(?P<name>[^/]+)/?$",
        admin.site.admin_view(pages.processor_page),
        name="processor",
    ),
]
