"""The URL configuration. Health paths are not here, since they are handled before URLs
are resolved (`status.health`)."""

from __future__ import annotations

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.utils.functional import lazy
from django.views.generic import RedirectView

from platform_site.site.system.details import HealthDetailsView

urlpatterns = [
    path("", RedirectView.as_view(url="/admin/")),
    # Browsers request it for responses that aren't pages.
    path("favicon.ico", RedirectView.as_view(url=lazy(static, str)("favicon.ico"))),
    path("admin/", include("platform_site.processing.urls")),
    path("admin/", include("platform_site.notifications.urls")),
    path("admin/", include("platform_site.site.search.urls")),
    path("admin/", include("documents.urls")),
    path("admin/", include("platform_site.accounts.urls")),
    # Before the admin site, whose last path matches everything (OPEN-56).
    path("admin/", include("importer.admin_page.urls")),
    path("admin/", include("platform_site.site.welcome.urls")),
    path("admin/", include("platform_site.site.automation.urls")),
    path("admin/", include("platform_site.site.system.urls")),
    path("admin/", admin.site.urls),
    path("health/details", HealthDetailsView.as_view()),
    path("", include("platform_site.site.agents.urls")),
    path("", include("platform_site.site.api.urls")),
]
handler400 = "platform_site.site.web.errors.bad_request"
handler403 = "platform_site.site.web.errors.permission_denied"
handler404 = "platform_site.site.web.errors.page_not_found"
handler500 = "platform_site.site.web.errors.server_error"
