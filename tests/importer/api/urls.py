"""URLs with only the endpoints, under their base in Platform."""

from __future__ import annotations

from django.urls import include, path

from importer.api import urlpatterns as endpoints

urlpatterns = [path("api/v1/", include(endpoints))]
