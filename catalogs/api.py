"""The API paths of catalogs and constants."""

from __future__ import annotations

from catalogs.serializers import CATALOGS, ConstantSerializer
from platform_site.records.api.paths import record_paths
from platform_site.records.serializers import RecordSerializer

_SERIALIZERS: tuple[type[RecordSerializer], ...] = (*CATALOGS, ConstantSerializer)
urlpatterns = [
    each for serializer in _SERIALIZERS for each in record_paths(serializer.Meta.model)
]
