"""The endpoints where this project has its interface, and the page in its admin site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from importer.api import urlpatterns as endpoints

urlpatterns = [
    path("library/", include((endpoints, "library"))),
    path("desk/", include("importer.admin_page.urls")),
    path("desk/", admin.site.urls),
]
