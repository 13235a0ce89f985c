"""The API of uploaded files: `POST /Files` and `GET /Files/<guid>`."""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Any

from django.http import FileResponse
from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from importer import file_name
from importer.api import (
    IDEMPOTENCY_KEY,
    DeclaredOnly,
    UploadTooLarge,
    takes_uploads,
    valid,
)
from importer.targets import FILE_MESSAGES, StrictSerializer
from platform_site.files.models import StoredFile
from platform_site.files.rights import authorise_upload
from platform_site.files.services import (
    LONGEST_NAME,
    ROUND_THE_FILE,
    FileTooLarge,
    FileUnusable,
    largest_body,
    open_file,
    readable_file,
    size_limit,
    store_file,
)
from platform_site.idempotency.views import repeatable


class FileSerializer(serializers.ModelSerializer[StoredFile]):
    """An uploaded file."""

    class Meta:
        model = StoredFile
        fields = ("id", "name", "size", "sha256")
        read_only_fields = fields


class UploadSerializer(StrictSerializer):
    """The form with a file."""

    file = serializers.FileField(allow_empty_file=True, error_messages=FILE_MESSAGES)


class FilesView(DeclaredOnly):
    """Upload of files."""

    parser_classes = (MultiPartParser,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse a body before it is read and written to disk.

        The length is checked first, because cookie authentication reads the form.
        """
        limit = size_limit()
        if _said_length(request) > limit + ROUND_THE_FILE:
            raise UploadTooLarge(str(FileTooLarge(limit)), limit=limit)
        super().initial(request, *args, **kwargs)
        authorise_upload(request.user)

    @extend_schema(
        operation_id="uploadFile",
        summary="Upload a file",
        description="Processors and other requests refer to the file by its id.",
        tags=["Files"],
        request={"multipart/form-data": UploadSerializer},
        responses={201: FileSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    @repeatable
    def post(self, request: Request) -> Response:
        """Store the file of a form; 413 if it is larger than allowed."""
        form = valid(UploadSerializer(data=request.data))
        if len(request.FILES.getlist("file")) > 1:
            raise ValidationError({"file": [_("Send one file.")]})
        upload = form["file"]
        try:
            file = store_file(upload=upload, user=request.user)
        except FileTooLarge as refusal:
            raise UploadTooLarge(str(refusal), limit=size_limit()) from None
        return Response(FileSerializer(file).data, status=HTTPStatus.CREATED)


class FileView(DeclaredOnly):
    """Download of a file."""

    @extend_schema(
        operation_id="downloadFile",
        summary="Download a file",
        description="The bytes as they were uploaded, always as an attachment. "
        "Only the uploader and administrators can download the file.",
        tags=["Files"],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, key: uuid.UUID) -> FileResponse:
        """Return the file as an attachment with its original content type."""
        file = readable_file(key=key, user=request.user)
        if file is None:
            raise NotFound(_("This file doesn't exist."))
        try:
            stream = open_file(file)
        except FileUnusable as gone:
            raise NotFound(str(gone)) from None
        answer = FileResponse(
            stream,
            as_attachment=True,
            # A name stored by an older version may contain anything.
            filename=file_name(file.name, LONGEST_NAME),
            content_type=file.content_type,
        )
        # Browsers must neither guess the type of an upload nor run it.
        answer["X-Content-Type-Options"] = "nosniff"
        answer["Content-Security-Policy"] = "sandbox; default-src 'none'"
        answer["Cache-Control"] = "private, no-store"
        return answer


def _said_length(request: Request) -> int:
    said = request.META.get("CONTENT_LENGTH") or ""
    return int(said) if said.isdecimal() and len(said) < 19 else 0


urlpatterns = [
    path("Files", takes_uploads(FilesView.as_view(), largest_body)),
    path("Files/<uuid:key>", FileView.as_view(), name="stored-file"),
]
