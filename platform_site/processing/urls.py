"""The paths of the processor pages, below `/admin/`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import re_path

from importer.api import takes_uploads
from platform_site.processing import pages
from platform_site.processing.uploads import largest_body

urlpatterns = [
    re_path(
        r"^processors/?$",
        admin.site.admin_view(pages.list_page),
        name="processors",
    ),
    re_path(
        r"^processors/(?P<name>[^/]+)/?$",
        takes_uploads(admin.site.admin_view(pages.processor_page), largest_body),
        name="processor",
    ),
]
