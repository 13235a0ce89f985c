"""The resources of agents: the schema of packages, and the pages of the documentation
that explain packages and outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.agents.api_caller import ApiCaller
from platform_site.site.agents.sizes import as_text

_DOCS: Final = Path(APPLICATION_FOLDER) / "docs"


@dataclass(frozen=True, slots=True)
class Resource:
    """A text that an agent may read; `page` is its file, empty for the schema."""

    uri: str
    title: str
    media_type: str
    page: str = ""


SCHEMA: Final = Resource(
    "platform://schema/package", "JSON Schema of packages", "application/schema+json"
)
_PAGES: Final = (
    Resource(
        "platform://docs/package-format",
        "The format of packages",
        "text/markdown",
        "package-format.md",
    ),
    Resource(
        "platform://docs/outcomes",
        "The outcomes of an import",
        "text/markdown",
        "outcomes.md",
    ),
)


def resources() -> list[Resource]:
    """Return the resources of this installation."""
    return [SCHEMA, *(each for each in _PAGES if (_DOCS / each.page).is_file())]


def content_of(api: ApiCaller, resource: Resource) -> str:
    """Return the text of a resource; raise ApiRefused without the right to it."""
    if resource.page:
        return (_DOCS / resource.page).read_text("utf-8")
    return as_text(api.get("Import", "schema"))
