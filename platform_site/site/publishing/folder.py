"""The published folder: its parts are collected beside the destination, and moved there
when complete (OPEN-87)."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Final

from django.conf import settings

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.publishing import bill_of_materials
from platform_site.site.publishing.browser_files import collect
from platform_site.site.publishing.errors import CannotPublishError
from platform_site.site.publishing.languages import compile_all
from platform_site.site.publishing.libraries import compiled, copy_libraries

SUMS: Final = "SHA256SUMS"
_FOLDERS: Final = (
    "platform_site",
    "importer",
    "licensing",
    "catalogs",
    "documents",
    "demo",
    "templates",
    # For whoever serves the folder. Agents read pages, too.
    "deploy",
    "docs",
)
_FILES: Final = (
    "manage.py",
    "appsettings.json",
    "appsettings.Development.json",
    "LICENSE",
    "CHANGELOG.md",
)
_WRITTEN: Final = ("README.md", "host.py", "platform", "platform.cmd", "web.config")
# Useless without the checkout: settings of tests, publishing itself, and files that are
# in `wwwroot/` already.
_LEFT_OUT: Final = {
    Path("platform_site/settings/test.py"),
    Path("platform_site/site/publishing"),
    Path("platform_site/management/commands/publish.py"),
    # What makes a distribution of the importer.
    Path("importer/hatch_build.py"),
    Path("importer/pyproject.toml"),
    Path("importer/README.md"),
    Path("importer/CHANGELOG.md"),
    # What no other page of the documentation leads to.
    Path("docs/requirements.md"),
    Path("docs/performance.json"),
    Path("docs/reliability.json"),
    Path("docs/examples/importer"),
}
_LEFT_OUT_NAMES: Final = {"__pycache__", "static", "tests"}
# Languages are always compiled again.
_LEFT_OUT_ENDINGS: Final = {".pyc", ".po", ".pot", ".mo", ".map"}


def publish(target: Path) -> None:
    """Make the folder at a path that is empty or doesn't exist.

    Raise CannotPublishError; then nothing is left there.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CannotPublishError(
            f"{target} is not empty; name a new folder, or empty it first."
        )
    making = target.with_name(f".{target.name}.publishing")
    try:
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        try:
            _fill(making)
            if target.exists():
                target.rmdir()
            making.rename(target)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    except OSError as error:
        raise CannotPublishError(
            f"{target} cannot be written: {error.strerror or error}."
        ) from error


def _fill(folder: Path) -> None:
    for name in _FOLDERS:
        _copy_folder(name, folder)
    _compile_languages(folder)
    for name in _FILES:
        shutil.copyfile(APPLICATION_FOLDER / name, folder / name)
    copy_libraries(APPLICATION_FOLDER / "requirements.lock", folder / "lib")
    collect(folder / "wwwroot", settings.STATIC_URL)
    _write_files(folder)
    (folder / "db").mkdir()
    bill_of_materials.write(folder)
    _set_modes(folder)
    _write_sums(folder)


def _copy_folder(name: str, folder: Path) -> None:
    root = APPLICATION_FOLDER / name
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(APPLICATION_FOLDER)
        if path.is_file() and _is_published(relative):
            to = folder / relative
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
            if path.suffix == ".py" and not relative.is_relative_to("docs"):
                _compile(to, relative.as_posix())


def _compile(module: Path, shown: str) -> None:
    """Compile a module to where Python looks for it."""
    name = f"{module.stem}.{sys.implementation.cache_tag}.pyc"
    to = module.parent / "__pycache__" / name
    to.parent.mkdir(exist_ok=True)
    to.write_bytes(compiled(module.read_bytes(), shown, has_source=True))


def _is_published(relative: Path) -> bool:
    if relative in _LEFT_OUT or _LEFT_OUT & set(relative.parents):
        return False
    if _LEFT_OUT_NAMES & set(relative.parts):
        return False
    hidden = any(part.startswith(".") or part.endswith("~") for part in relative.parts)
    return not hidden and relative.suffix not in _LEFT_OUT_ENDINGS


def _compile_languages(folder: Path) -> None:
    """Compile each language to its place (OPEN-90)."""
    try:
        compile_all(to=folder)
    except ValueError as error:
        raise CannotPublishError(str(error)) from error


def _write_files(folder: Path) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in _WRITTEN:
        text = (Path(__file__).parent / "files" / name).read_text(encoding="utf-8")
        text = text.replace("@PYTHON@", f"python{version}").replace(
            "@VERSION@", version
        )
        end = "\r\n" if name.endswith(".cmd") else "\n"
        (folder / name).write_text(text, encoding="utf-8", newline=end)
    runtime = {
        "python": sys.implementation.cache_tag,
        "system": sysconfig.get_platform(),
    }
    text = json.dumps(runtime, indent=2) + "\n"
    (folder / "runtime.json").write_text(text, encoding="utf-8")


def _set_modes(folder: Path) -> None:
    """Set the same mode for every file, whatever the checkout had."""
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path == folder / "platform" else 0o644)
    folder.chmod(0o755)


def _write_sums(folder: Path) -> None:
    """Write each file's checksum, in the format of `sha256sum --check`."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    (folder / SUMS).write_text("".join(sorted(lines, key=lambda one: one[66:])))
