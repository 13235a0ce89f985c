"""Every catalog is an import target under its wire name."""

from __future__ import annotations

from catalogs.serializers import CATALOGS
from platform_site.records.importing import register_record

for serializer in CATALOGS:
    register_record(serializer)
