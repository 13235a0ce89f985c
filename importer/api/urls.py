"""The paths of the endpoints (OPEN-36), without a trailing slash."""

from __future__ import annotations

from django.urls import path

from importer.api.decisions import DecisionViewSet
from importer.api.exports import ExportViewSet, FailedViewSet
from importer.api.packages import PackageViewSet, SchemaViewSet
from importer.api.runs import RunViewSet
from importer.api.sources import SourceViewSet, TableViewSet
from importer.api.undo import UndoViewSet
from importer.api.uploads import largest_body, takes_uploads

urlpatterns = [
    path("Import/packages", PackageViewSet.as_view({"get": "list"})),
    path("Import/export", ExportViewSet.as_view({"get": "retrieve"})),
    path("Import/schema", SchemaViewSet.as_view({"get": "retrieve"})),
    path(
        "Import/run",
        takes_uploads(RunViewSet.as_view({"post": "create"}), largest_body),
    ),
    path("Import/sources", SourceViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "Import/sources/detect",
        takes_uploads(TableViewSet.as_view({"post": "detect"}), largest_body),
    ),
    path(
        "Import/sources/<str:name>",
        SourceViewSet.as_view(
            {"get": "retrieve", "patch": "partial_update", "delete": "destroy"}
        ),
        name="import-source",
    ),
    path(
        "Import/sources/<str:name>/run",
        takes_uploads(TableViewSet.as_view({"post": "run"}), largest_body),
    ),
    path(
        "Import/sources/<str:name>/package",
        takes_uploads(TableViewSet.as_view({"post": "package"}), largest_body),
    ),
    path("Import/runs", RunViewSet.as_view({"get": "list"})),
    path(
        "Import/runs/<str:run_id>",
        RunViewSet.as_view({"get": "retrieve"}),
        name="import-run",
    ),
    path(
        "Import/runs/<str:run_id>/decide", DecisionViewSet.as_view({"post": "create"})
    ),
    path("Import/runs/<str:run_id>/failed", FailedViewSet.as_view({"get": "retrieve"})),
    path("Import/runs/<str:run_id>/cancel", RunViewSet.as_view({"post": "cancel"})),
    path("Import/runs/<str:run_id>/undo", UndoViewSet.as_view({"post": "create"})),
]
