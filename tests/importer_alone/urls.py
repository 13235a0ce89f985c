"""The endpoints where this project has its interface."""

from __future__ import annotations

from django.urls import include, path

from importer.api import urlpatterns as endpoints

urlpatterns = [path("library/", include((endpoints, "library")))]
