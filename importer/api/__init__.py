"""The endpoints: paths relative to the base of a project's API, `/api/v1/` in Platform.

A project includes ``importer.api.urlpatterns`` where its API is.
"""

from __future__ import annotations

from importer.api.urls import urlpatterns

__all__ = ["urlpatterns"]
