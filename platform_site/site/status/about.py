"""The information about an installation: id, version and licence for signed-in users,
the licence agreement for everybody."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import DeclaredOnly
from licensing.licence import LicenceState
from licensing.services import agreement_text, licence_status
from platform_site import __version__
from platform_site.accounts.services import installation_id

_TEXT = "text/plain"


class AboutSerializer(serializers.Serializer[Any]):
    """The id, version and licence of this installation."""

    installationId = serializers.UUIDField()
    version = serializers.CharField()
    status = serializers.ChoiceField(
        [(state.value, state.name) for state in LicenceState],
        help_text="State of the licence.",
    )


class AboutView(DeclaredOnly):
    """The installation."""

    @extend_schema(
        tags=["About"],
        operation_id="getAbout",
        summary="This installation",
        responses=AboutSerializer,
    )
    def get(self, request: Request) -> Response:
        """The id never changes; the version is that of the platform."""
        about = {
            "installationId": installation_id(),
            "version": __version__,
            "status": licence_status(),
        }
        return Response(AboutSerializer(about).data)


class AgreementView(DeclaredOnly):
    """The licence agreement."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        tags=["About"],
        operation_id="getLicenseAgreement",
        summary="The licence agreement",
        responses={
            (200, _TEXT): OpenApiResponse(OpenApiTypes.STR, description="Its text.")
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """This needs no authentication."""
        text = agreement_text()
        return HttpResponse(text, content_type=f"{_TEXT}; charset=utf-8")
