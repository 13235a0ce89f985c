"""The static files. In a published folder our own are in `css/` and others, those of
libraries in `_content/`, each named by its content so that it can be cached forever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from django.conf import settings
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.storage import FileSystemStorage
from whitenoise.middleware import WhiteNoiseMiddleware

Headers = Sequence[tuple[bytes, bytes]]

LIBRARIES: Final = "_content"


class FileAnswer(NamedTuple):
    """The response to a request for a file."""

    status: int
    headers: Headers
    file: IO[bytes] | None


class BrowserFiles:
    """The static files, for a server that sends them itself.

    They are found and described as WhiteNoise does for other servers.
    """

    def __init__(self) -> None:
        self._found = WhiteNoiseMiddleware(lambda _request: None)

    def answer(
        self, path: str, method: str, scheme: str, headers: Headers
    ) -> FileAnswer | None:
        """Return the response, None if the path isn't that of a file."""
        if not path.startswith(settings.STATIC_URL):
            return None
        if settings.PLATFORM_HTTPS_PORT is not None and scheme != "https":
            return None
        found = (
            self._found.find_file(path)
            if self._found.autorefresh
            else self._found.files.get(path)
        )
        if found is None:
            return None
        named = {
            f"HTTP_{_variable(name)}": value.decode("latin-1")
            for name, value in headers
        }
        answer = found.get_response(method, named)
        response_headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in answer.headers
        ]
        return FileAnswer(int(answer.status), response_headers, answer.file)


def _variable(name: bytes) -> str:
    return name.decode("latin-1").upper().replace("-", "_")


class PublishedFiles(ManifestStaticFilesStorage):
    """The finder of published files under the names that templates use."""

    # A missing file gives a broken link, not a failing page.
    manifest_strict = False
    # Only style sheets refer to other files by name; source maps are left out.
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

    def __init__(self, location: str | None = None, base_url: str | None = None):
        # The manifest is beside the folder, so that it isn't served.
        folder = Path(location or settings.STATIC_ROOT or "").parent
        beside = FileSystemStorage(location=folder)
        super().__init__(location, base_url, manifest_storage=beside)

    def url(self, name: str | None, force: bool = False) -> str:  # noqa: FBT001, FBT002 - Django's signature
        """Return the URL of a file."""
        return super().url(self._placed(name or ""), force)

    def stored_name(self, name: str) -> str:
        """Return the name in the folder; a file of an added app keeps its own."""
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored

    def _placed(self, name: str) -> str:
        plain = self.hash_key(self.clean_name(name.partition("?")[0].partition("#")[0]))
        if plain not in self.hashed_files:
            below = f"{LIBRARIES}/{plain}"
            if below in self.hashed_files:
                return f"{LIBRARIES}/{name}"
        return name
