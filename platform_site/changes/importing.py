"""Put who, origin and run round every import, in the thread that runs it (OPEN-80)."""

from __future__ import annotations

from contextlib import AbstractContextManager

from importer import registry
from importer.package.shapes import Origin as PackageOrigin
from platform_site.changes.services import Origin, acting_as


def surround(run: registry.RunContext) -> AbstractContextManager[object]:
    """Return the context in which a run's change events are written."""
    demo = run.origin is PackageOrigin.DEMO_SEED
    origin = Origin.DEMO_DATA if demo else Origin.IMPORT
    return acting_as(run.user, origin, run.run_id)


registry.register_surrounding(surround)
