"""The third-party components of the published folder: a CycloneDX bill of materials,
and a list of licences."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component as Entry, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from platform_site import __version__
from platform_site.site.publishing.bundled_components import Component
from platform_site.site.publishing.components import (
    PRODUCT,
    components,
    needs,
    parts_of_product,
)

BILL: Final = "SBOM.cdx.json"
LICENCES: Final = "LICENSES.md"
_ABOUT: Final = """\
# Licences

Platform has the MIT licence, see `LICENSE`. This folder also holds what others made, as
it came from them. `LGPL` and `MPL` parts are files of their own, which may be replaced.
Texts lie where the last column says, below this folder.

| Library | Version | Licence | Text |
|---|---|---|---|
"""
_own_licences: Final = LicenseFactory()


def write(folder: Path) -> None:
    """Write both lists of a published folder.

    Raise CannotPublishError for a licence that is unknown or not allowed.
    """
    found = components(folder)
    own = parts_of_product(folder)
    (folder / BILL).write_text(_bill(found, own, folder), encoding="utf-8")
    own_rows = [_row(f"{PRODUCT}: {part.name}", part) for part in own]
    text = _ABOUT + "".join([*own_rows, *_rows(found)])
    (folder / LICENCES).write_text(text, encoding="utf-8")


def _bill(found: Sequence[Component], own: Sequence[Component], folder: Path) -> str:
    purl = PackageURL("generic", None, PRODUCT, __version__)
    product = Entry(
        name=PRODUCT,
        version=__version__,
        type=ComponentType.APPLICATION,
        licenses=[_own_licences.make_from_string("MIT")],
        purl=purl,
        bom_ref=purl.to_string(),
        components=[_entry(part, f"{purl.to_string()}#") for part in own],
    )
    entries = {one.name: _entry(one, "") for one in found}
    bill = Bom(metadata=BomMetaData(component=product), components=entries.values())
    for name, needed in sorted(needs(folder).items()):
        on = [entries[one] for one in sorted(needed)]
        bill.register_dependency(entries.get(name, product), on)
    return _stable(bill)


def _stable(bill: Bom) -> str:
    """Return the bill as JSON, equal for equal content."""
    # Serial number and time don't depend on the content.
    bill.metadata.timestamp = None  # type: ignore[assignment]
    bill.serial_number = uuid.UUID(int=0)
    content = JsonV1Dot6(bill).output_as_string()
    bill.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, content)
    return JsonV1Dot6(bill).output_as_string(indent=2) + "\n"


def _entry(one: Component, within: str) -> Entry:
    # Two libraries may contain the same component.
    reference = f"{within}{one.purl.to_string()}"
    return Entry(
        name=one.name,
        version=one.version or None,
        type=ComponentType.LIBRARY,
        licenses=[_own_licences.make_from_string(one.licence)],
        purl=one.purl,
        bom_ref=reference,
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one.digest)]
        if one.digest
        else (),
        properties=[Property(name="platform:file", value=one.file)] if one.file else (),
        components=[_entry(part, f"{reference}#") for part in one.parts],
    )


def _rows(found: Sequence[Component]) -> Iterator[str]:
    for one in found:
        yield _row(one.name, one)
        for part in one.parts:
            yield _row(f"{one.name}: {part.name}", part)


def _row(name: str, one: Component) -> str:
    texts = ", ".join(f"`{text}`" for text in one.texts)
    return f"| {name} | {one.version} | {one.licence} | {texts} |\n"
