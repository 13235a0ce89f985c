"""A build hook that compiles the translations, so that a distribution built from a
fresh checkout contains them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Without these lines two builds of the same source are equal.
_NOBODY = ""
_NEVER = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)


class LanguagesHook(BuildHookInterface[Any]):
    """A build hook that compiles each `.po` whose `.mo` is missing or older."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the translations before the files are collected."""
        for source in Path(self.root).glob("locale/*/LC_MESSAGES/*.po"):
            target = source.with_suffix(".mo")
            if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
                continue
            with source.open("rb") as texts:
                catalog = read_po(texts, locale=source.parts[-3])
            catalog.last_translator = catalog.language_team = _NOBODY
            catalog.creation_date = catalog.revision_date = _NEVER
            with target.open("wb") as compiled:
                write_mo(compiled, catalog)
