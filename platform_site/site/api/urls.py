"""The paths under `/api/v1`: the `urlpatterns` of every app's module `api`."""

from __future__ import annotations

from importlib import import_module

from django.apps import apps
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from django.utils.module_loading import module_has_submodule
from django.views.generic import RedirectView

from platform_site.site.api.documentation import DescriptionView, InteractiveView
from platform_site.site.api.index import IndexView
from platform_site.site.api.problem_pages import kinds
from platform_site.site.status.about import AboutView, AgreementView

BASE = "api/v1/"


def found_patterns() -> list[URLPattern | URLResolver]:
    """Return the paths of all installed apps, in the order of the apps."""
    patterns: list[URLPattern | URLResolver] = []
    for config in apps.get_app_configs():
        if module_has_submodule(config.module, "api"):
            module = import_module(f"{config.name}.api")
            patterns += getattr(module, "urlpatterns", [])
    return patterns


urlpatterns = [
    path(BASE.removesuffix("/"), IndexView.as_view()),
    path(f"{BASE}About", AboutView.as_view()),
    path(f"{BASE}About/license-agreement", AgreementView.as_view()),
    path(BASE, include(found_patterns())),
    path("problems", kinds),
    path("problems/<slug:code>", kinds),
]
if settings.PLATFORM_SWAGGER:
    urlpatterns += [
        path("swagger", InteractiveView.as_view(), name="api-documentation"),
        path("swagger/", RedirectView.as_view(pattern_name="api-documentation")),
        path(
            "swagger/v1/swagger.json", DescriptionView.as_view(), name="api-description"
        ),
    ]
