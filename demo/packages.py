"""The embedded packages of demo data."""

from __future__ import annotations

import io
from typing import BinaryIO

import msgspec

from demo.errors import DemoRefused
from importer import Origin
from importer.services import (
    EmbeddedPackage,
    embedded_package,
    embedded_packages,
    package_meant,
)


def demo_package(identifier: str | None) -> EmbeddedPackage:
    """Return an embedded package of demo data, by default the first one.

    Raise DemoRefused if there is none (IMP-234).
    """
    if identifier is None:
        for one in embedded_packages():
            if one.origin == Origin.DEMO_SEED and not one.error:
                return one
        raise DemoRefused("No package of demo data is embedded in the applications.")
    found = embedded_package(identifier)
    if found is None:
        hint = package_meant(identifier)
        raise DemoRefused(f"There is no embedded package “{identifier}”.{hint}")
    if found.origin != Origin.DEMO_SEED:
        raise DemoRefused(
            f"The package “{identifier}” contains no demo data: its origin is "
            f"{found.origin}. Import it instead."
        )
    return found


def bringing_back(package: BinaryIO) -> BinaryIO:
    """Return a package that also restores deleted rows.

    The objects and thus their hashes are unchanged.
    """
    header = msgspec.json.decode(package.read(), type=dict[str, msgspec.Raw])
    steps = msgspec.json.decode(header["steps"], type=list[dict[str, msgspec.Raw]])
    restoring = [{**step, "onDeleted": "restore"} for step in steps]
    return io.BytesIO(msgspec.json.encode({**header, "steps": restoring}))
