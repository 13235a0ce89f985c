"""The settings files and environment variables as flat case-insensitive keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platform_site.settings.errors import SettingsError
from platform_site.settings.known import KNOWN
from platform_site.settings.settings_file import read_settings_file

FILE_NAME: Final = "appsettings.json"
DEFAULT_ENVIRONMENT: Final = "Production"
_VARIABLE_RANK: Final = 10
_HOST_RANK: Final = 11
_HOST_PREFIX: Final = "aspnetcore_"
_ENVIRONMENT_VARIABLES: Final = ("aspnetcore_environment", "dotnet_environment")
_CANONICAL: Final = {"development": "Development", "production": "Production"}


@dataclass(frozen=True, slots=True)
class Given:
    """A value from a source; the higher rank wins."""

    name: str
    text: str | None
    source: str
    rank: int

    @property
    def is_variable(self) -> bool:
        """Return whether the source is an environment variable."""
        return self.rank >= _VARIABLE_RANK

    @property
    def is_of_the_host(self) -> bool:
        """Return whether the name is one of the host: ASPNETCORE_..."""
        return self.rank == _HOST_RANK


def environment_name(
    environ: Mapping[str, str], default: str = DEFAULT_ENVIRONMENT
) -> str:
    """Return the environment's name (HOST-021), by default Production."""
    folded = {name.casefold(): text for name, text in environ.items()}
    for variable in _ENVIRONMENT_VARIABLES:
        if name := folded.get(variable, "").strip():
            break
    else:
        name = default
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", name):
        raise SettingsError(
            f"ASPNETCORE_ENVIRONMENT is '{name}', but must be a plain word "
            "such as Production or Development."
        )
    return _CANONICAL.get(name.casefold(), name)


def settings_folder(working: Path | None, application: Path) -> Path:
    """Return the folder of the settings files (HOST-077)."""
    if working is not None and (working / FILE_NAME).is_file():
        return working
    return application


def gather(
    environ: Mapping[str, str], folder: Path | None, environment: str
) -> dict[str, Given]:
    """Return the effective text per folded key: files, then variables, later over
    earlier."""
    given: dict[str, Given] = {}
    for rank, path in enumerate(_files(folder, environment), start=1):
        for key, (name, text) in read_settings_file(path).items():
            given[key] = Given(name, text, path.name, rank)
    return given | _variables(environ)


def _files(folder: Path | None, environment: str) -> list[Path]:
    if folder is None:
        return []
    # Names are case-insensitive, like the environment's name.
    present = {path.name.casefold(): path for path in sorted(folder.glob("*.json"))}
    wanted = (FILE_NAME, f"appsettings.{environment}.json".casefold())
    return [present[name] for name in wanted if name in present]


def _variables(environ: Mapping[str, str]) -> dict[str, Given]:
    known = {setting.key.casefold() for setting in KNOWN}
    found: dict[str, Given] = {}
    for name in sorted(environ):
        folded = name.casefold()
        rank = _HOST_RANK if folded.startswith(_HOST_PREFIX) else _VARIABLE_RANK
        key = folded.removeprefix(_HOST_PREFIX).replace("__", ":")
        before = found.get(key)
        one = Given(name, environ[name], f"variable {name}", rank)
        if before is None or before.rank < rank:
            found[key] = one
        elif before.rank == rank and before.text != one.text and key in known:
            raise SettingsError(
                f"The variables {before.name} and {name} set the same setting to "
                "different values; keep one of them."
            )
    return found
