"""The locked third-party packages, copied from the running environment to `lib/`: no
network is needed, and the tested packages are published."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import marshal
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from platform_site.site.publishing.errors import CannotPublishError

_LOCKED: Final = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?P<condition>\s*;)?", re.M
)
# Files that an installer writes for itself, with folders of this machine.
_INSTALLERS: Final = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
_LEFT_OUT: Final = (".pyc", ".po", ".pot", ".map", ".pyi")


def locked_packages(lock: str) -> Iterator[tuple[str, str, bool]]:
    """Yield name, version, and whether every system needs it, of each locked
    package."""
    for found in _LOCKED.finditer(lock):
        yield found["name"], found["version"], found["condition"] is None


def copy_libraries(lock_file: Path, target: Path) -> None:
    """Copy the packages of a lock file from the running environment.

    Raise CannotPublishError for a missing package or another version.
    """
    for name, version, always in locked_packages(lock_file.read_text("utf-8")):
        try:
            installed = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            if always:
                raise CannotPublishError(
                    f"The library {name} is not installed; run 'make install'."
                ) from None
            # Its condition is for another system or interpreter.
            continue
        if installed.version != version:
            raise CannotPublishError(
                f"The library {name} is installed as {installed.version}, but "
                f"{lock_file.name} has {version}; run 'make install'."
            )
        _copy(installed, target)


def _copy(installed: importlib.metadata.Distribution, target: Path) -> None:
    for path in installed.files or ():
        if is_published(Path(path)):
            to = target / path
            to.parent.mkdir(parents=True, exist_ok=True)
            source = Path(str(installed.locate_file(path)))
            if path.suffix == ".py":
                code = compiled(source.read_bytes(), f"lib/{path}")
                to.with_suffix(".pyc").write_bytes(code)
            else:
                shutil.copyfile(source, to)


def compiled(source: bytes, shown: str, *, has_source: bool = False) -> bytes:
    """Return a compiled module, identical for identical source.

    Program files are read-only on servers, so nothing could be compiled there, and
    compiling at each start would take most of its time. Where the source is there as
    well, it's compiled anew once it was edited.
    """
    code = compile(source, shown, "exec", dont_inherit=True, optimize=0)
    # By hash, which is compared with that of the source if the second bit is set.
    flags = (3 if has_source else 1).to_bytes(4, "little")
    header = importlib.util.MAGIC_NUMBER + flags + importlib.util.source_hash(source)
    # Later formats share equal objects, depending on what else is in memory.
    return header + marshal.dumps(code, 2)


def is_published(path: Path) -> bool:
    """Return whether a library's file is needed at run time."""
    if path.is_absolute() or ".." in path.parts:
        # Scripts beside the interpreter contain its path.
        return False
    # Static files are in `wwwroot/`.
    if {"__pycache__", "static", "tests"} & set(path.parts) or path.suffix in _LEFT_OUT:
        return False
    in_information = path.parts[0].endswith(".dist-info")
    return not (in_information and path.name in _INSTALLERS)
