"""The line that announces a run: package, target installation, user and time."""

from __future__ import annotations

from typing import Any, BinaryIO

from importer import conf, registry
from importer.models import ImportRun
from importer.package.json_stream import JsonError, JsonStream


def heading(
    source: BinaryIO, name: str, *, user: Any, time_zone: str, dry_run: bool
) -> str:
    """Return the line; a package whose header can't be read is named by its file."""
    header = _header(source)
    package, version = header.get("package"), header.get("version")
    known = isinstance(package, str) and package.isprintable() and len(package) <= 100
    known = known and type(version) is int
    what = f"{package} {version}" if known else name
    zone = time_zone or registry.zone_of(user) or conf.setting("TIME_ZONE")
    kind = "Dry run: " if dry_run else ""
    into = conf.configuration()
    return f"{kind}{what} → {into}, as {user.get_username()}, dates in {zone}"


def plan_heading(dry_run: ImportRun, user: Any) -> str:
    """Return the line for a run that carries out a plan."""
    return f"Plan of the dry run {dry_run.run_id}, as {user.get_username()}"


def _header(source: BinaryIO) -> dict[str, Any]:
    """Return the keys before the steps, which may be very long."""
    header: dict[str, Any] = {}
    if not source.seekable():
        return header  # a pipe can be read only once, by the run
    try:
        stream = JsonStream(source)
        stream.take("{", "")
        more = stream.peek() != "}"
        while more:
            key = stream.key()
            if key == "steps":
                break
            header[key] = stream.value()
            more = stream.more("}")
    except (JsonError, OSError):
        pass  # the run itself reports the error and its place
    return header
