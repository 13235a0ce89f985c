"""The paths of the product, and that of the peer."""

from __future__ import annotations

from django.urls import path

from platform_site.urls import handler500, urlpatterns
from tests.benchmarks.peer.api import ItemsView, OurItemsView, OurItemView

__all__ = ["handler500", "urlpatterns"]

urlpatterns = [
    path("api/v1/peer-items", ItemsView.as_view()),
    path("api/v1/peer-read", OurItemsView.as_view()),
    path("api/v1/peer-read/<int:pk>", OurItemView.as_view()),
    *urlpatterns,
]
