"""The paths of the wizard, below `/admin/`."""

from __future__ import annotations

from django.urls import path

from platform_site.site.welcome import views

urlpatterns = [
    path("welcome/", views.welcome, name="welcome"),
    path("welcome/agreement", views.agreement, name="welcome-agreement"),
    path("welcome/password", views.password, name="welcome-password"),
    path("welcome/company", views.company, name="welcome-company"),
    path("welcome/company/progress", views.progress, name="welcome-progress"),
    path("welcome/ready", views.ready, name="welcome-ready"),
    path("welcome/later", views.later, name="welcome-later"),
]
