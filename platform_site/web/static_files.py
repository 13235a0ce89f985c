"""The files for browsers in a published folder: own ones under `css/` and the like,
those of libraries under `_content/`, each named by its content so that it never ages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage

if TYPE_CHECKING:
    from collections.abc import Iterable

LIBRARIES: Final = "_content"


class PublishedFiles(ManifestStaticFilesStorage):
    """Find a file under the name that templates use, wherever publishing put it."""

    # A missing file shows as a broken link, not as a page that fails.
    manifest_strict = False
    # Style sheets alone refer to other files by name; source maps are left out.
    patterns: Iterable[tuple[str, object]] = (
        (
            "*.css",
            (
                r"""(?P<matched>url\((?P<quote>['"]{0,1})"""
                r"""\s*(?P<url>.*?)(?P=quote)\))""",
                (
                    r"""(?P<matched>@import\s*["']\s*(?P<url>.*?)["'])""",
                    """@import url("%(url)s")""",
                ),
            ),
        ),
    )

    def url(self, name: str | None, force: bool = False) -> str:  # noqa: FBT001, FBT002 - Django's signature
        """Return the address of a file."""
        return super().url(self._placed(name or ""), force)

    def _placed(self, name: str) -> str:
        plain = self.hash_key(self.clean_name(name.partition("?")[0].partition("#")[0]))
        if plain not in self.hashed_files:
            below = f"{LIBRARIES}/{plain}"
            if below in self.hashed_files:
                return f"{LIBRARIES}/{name}"
        return name
