"""Third-party components inside libraries: static files, compiled libraries, and those
listed by wheels (PEP 770)."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from packageurl import PackageURL

_TEXTS: Final = re.compile(r"licen[cs]e|copying|notice", re.I)
# Copies named by content and compressed ones are not listed.
_COPIES: Final = re.compile(r"\.[0-9a-f]{12}(\.|$)|\.(br|gz)$")


@dataclass(frozen=True, slots=True)
class Component:
    """A third-party component in the published folder."""

    name: str
    version: str
    licence: str
    purl: PackageURL
    # One of its files, below the published folder, and its SHA-256, if any.
    file: str = ""
    digest: str = ""
    # The path of its licence text, below the published folder.
    texts: tuple[str, ...] = ()
    parts: tuple[Component, ...] = ()


@cache
def known() -> dict[str, list[dict[str, Any]]]:
    """Return the manually recorded components by library."""
    text = Path(__file__).with_name("bundled_components.toml").read_text("utf-8")
    return tomllib.loads(text)


def bundled_components(
    library: str, information: Path | None, folder: Path
) -> tuple[Component, ...]:
    """Return the components of a library or the product, from its own lists and ours.

    `information` is its `.dist-info` folder, if it has one, `folder` the published one.
    """
    listed = [] if information is None else list(_listed(library, information))
    silent = {one.name for one in listed if not one.licence}
    ours = {}
    for row in known().get(library, []):
        files = files_of(row, folder)
        if files:
            ours[row["name"]] = _known(row, files, folder)
    # A wheel that names no licence still has the exact version.
    both = [_joined(one, ours.get(one.name)) for one in listed]
    both += [one for name, one in ours.items() if name not in silent]
    return tuple(sorted(both, key=lambda one: (one.name, one.version)))


def _joined(listed: Component, known: Component | None) -> Component:
    if listed.licence or known is None:
        return listed
    return replace(known, version=listed.version, purl=listed.purl)


def files_of(row: dict[str, Any], folder: Path) -> list[Path]:
    """Return the files that an entry of our list covers."""
    found = [path for glob in row["files"] for path in sorted(folder.glob(glob))]
    return [one for one in found if one.is_file() and not _COPIES.search(one.name)]


def _known(row: dict[str, Any], files: list[Path], folder: Path) -> Component:
    version, file = "", files[0]
    for path in files if "version" in row else ():
        found = re.search(row["version"].encode(), path.read_bytes())
        if found:
            version, file = found[1].decode(), path
            break
    url = PackageURL.from_string(row.get("purl", f"pkg:generic/{row['name']}"))
    return Component(
        row["name"],
        version,
        row["licence"],
        PackageURL(url.type, url.namespace, url.name, version or None),
        file.relative_to(folder).as_posix(),
        hashlib.sha256(file.read_bytes()).hexdigest(),
        texts(files, folder),
    )


def texts(files: Iterable[Path], folder: Path) -> tuple[str, ...]:
    """Return the files that are licence texts."""
    return tuple(
        path.relative_to(folder).as_posix()
        for path in sorted(files)
        if path.is_file() and _TEXTS.search(path.name)
    )


def _listed(library: str, information: Path) -> Iterator[Component]:
    for path in sorted((information / "sboms").glob("*.json")):
        for one in json.loads(path.read_text("utf-8")).get("components", ()):
            if one["name"].replace("_", "-") != library:
                # The part after `?` names folders of the build machine.
                purl = PackageURL.from_string(one["purl"].partition("?")[0])
                yield Component(one["name"], one["version"], _licence(one), purl)


def _licence(one: dict[str, Any]) -> str:
    """Return the licence that a wheel names for a component; empty if it names none."""
    named = [
        given.get("expression") or given["license"].get("id", "")
        for given in one.get("licenses", ())
    ]
    return " AND ".join(named)
