"""The import targets of the catalogs, under their wire names. Constants have none."""

from __future__ import annotations

from catalogs.serializers import CATALOGS, ConstantSerializer
from platform_site.records.importing import register_record

for serializer in CATALOGS:
    register_record(serializer)
register_record(ConstantSerializer, importable=False)
