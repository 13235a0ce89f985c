"""Every document is written by the services under its wire form."""

from __future__ import annotations

from documents.serializers import DOCUMENTS
from platform_site.records.wire import register_serializer

for serializer in DOCUMENTS:
    register_serializer(serializer)
