"""All third-party components of the published folder, and their dependencies."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Final

from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.publishing import licences
from platform_site.site.publishing.bundled_components import (
    Component,
    bundled_components,
    texts,
)

# The platform itself, which depends on the first libraries.
PRODUCT: Final = "platform"


def components(folder: Path) -> tuple[Component, ...]:
    """Return the libraries of a published folder with their components, by name.

    Raise CannotPublishError for a licence that is unknown or not allowed.
    """
    found = tuple(
        _component(name, path, folder)
        for name, path in sorted(_installed(folder).items())
    )
    for library in found:
        for one in (library, *library.parts):
            licences.check(one.name, one.licence)
    return found


def parts_of_product(folder: Path) -> tuple[Component, ...]:
    """Return what others made among the platform's own files.

    Raise CannotPublishError for a licence that is not allowed.
    """
    found = bundled_components(PRODUCT, None, folder)
    for one in found:
        licences.check(one.name, one.licence)
    return found


def _installed(folder: Path) -> dict[str, Path]:
    """Return the metadata of each library in a published folder by name."""
    paths = sorted((folder / "lib").glob("*.dist-info"))
    return {canonicalize_name(PathDistribution(path).name): path for path in paths}


def needs(folder: Path) -> dict[str, set[str]]:
    """Return the dependencies of the platform and of each library inside the folder."""
    installed = _installed(folder)
    text = (APPLICATION_FOLDER / "pyproject.toml").read_text("utf-8")
    first = [Requirement(one) for one in tomllib.loads(text)["project"]["dependencies"]]
    found: dict[str, set[str]] = {PRODUCT: set()}
    waiting = [(PRODUCT, one) for one in first]
    seen: set[tuple[str, str]] = set()
    while waiting:
        by, requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in installed:
            # Its condition is for another system or interpreter.
            continue
        found.setdefault(by, set()).add(name)
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [(name, one) for one in _needed(installed[name], extra)]
    return found


def _needed(information: Path, extra: str) -> Iterator[Requirement]:
    for text in PathDistribution(information).requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": extra}):
            yield requirement


def _component(name: str, information: Path, folder: Path) -> Component:
    distribution = PathDistribution(information)
    return Component(
        name,
        distribution.version,
        licences.licence_of(name, distribution.metadata),
        PackageURL("pypi", None, name, distribution.version),
        texts=texts(information.rglob("*"), folder),
        parts=bundled_components(name, information, folder),
    )
