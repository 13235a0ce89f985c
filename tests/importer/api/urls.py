"""The endpoints alone, under the base they have in Platform."""

from __future__ import annotations

from django.urls import include, path

from importer.api import urlpatterns as endpoints

urlpatterns = [path("api/v1/", include(endpoints))]
