"""The entrance of the API: what there is, as far as the caller may see it."""

from __future__ import annotations

from typing import Any, Final

from django.apps import apps
from django.urls import Resolver404, resolve, reverse
from django.urls.exceptions import NoReverseMatch
from django.utils.text import capfirst
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import DeclaredOnly
from platform_site import __version__

BASE: Final = "/api/v1"


class ListSerializer(serializers.Serializer[Any]):
    """A list of rows."""

    name = serializers.CharField(help_text="As in paths, packages and changes.")
    title = serializers.CharField(help_text="In the language of the caller.")
    path = serializers.CharField()


class IndexSerializer(serializers.Serializer[Any]):
    """What the API has."""

    version = serializers.CharField(help_text="Of the platform.")
    description = serializers.CharField(
        allow_null=True,
        help_text="The OpenAPI description; null if it is switched off.",
    )
    problems = serializers.CharField(help_text="What all codes of refusals mean.")
    lists = ListSerializer(many=True)


class IndexView(DeclaredOnly):
    """The entrance of the API."""

    @extend_schema(
        tags=["About"],
        operation_id="getIndex",
        summary="What there is",
        responses=IndexSerializer,
    )
    def get(self, request: Request) -> Response:
        """The lists that the caller may read, and where everything is described."""
        found = {
            "version": __version__,
            "description": _description(),
            "problems": "/problems",
            "lists": sorted(_lists(request.user), key=lambda each: each["name"]),
        }
        return Response(IndexSerializer(found).data)


def _lists(user: Any) -> list[dict[str, str]]:
    """Return the lists with their paths."""
    found = []
    for model in apps.get_models():
        own = vars(model)
        name = own.get("catalog_name") or own.get("list_name")
        options = model._meta
        right = f"{options.app_label}.view_{options.model_name}"
        if name and _exists(f"{BASE}/{name}") and user.has_perm(right):
            title = str(capfirst(options.verbose_name_plural))
            found.append({"name": name, "title": title, "path": f"{BASE}/{name}"})
    return found


def _exists(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True


def _description() -> str | None:
    try:
        return reverse("api-description")
    except NoReverseMatch:
        return None
