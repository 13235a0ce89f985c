"""Every catalog is an import target under its wire name; constants are none."""

from __future__ import annotations

from catalogs.serializers import CATALOGS, ConstantSerializer
from platform_site.records.importing import register_record

for serializer in CATALOGS:
    register_record(serializer)
register_record(ConstantSerializer, importable=False)
