"""The apps added by `Platform:Apps`: their folder, their labels, and the errors for
unusable ones."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import django
from django.apps import AppConfig
from django.conf import settings
from django.utils.module_loading import module_has_submodule

from platform_site.settings.configuration import Configuration, active
from platform_site.settings.errors import SettingsError

KEY: Final = "Platform:Apps"


def added_apps(configuration: Configuration) -> tuple[str, ...]:
    """Return the entries of the setting, and make their folder importable.

    The folder comes last, so that no file in it hides a module of Python or the
    platform.
    """
    folder = str(configuration.apps_folder)
    if folder not in sys.path:
        sys.path.append(folder)
    return configuration.settings.list(KEY)


def business_labels() -> tuple[str, ...]:
    """Return the labels of apps with business rows: built-in ones, then added ones."""
    return (*settings.PLATFORM_CONFIGURATION_APPS, *added_labels())


def added_labels() -> tuple[str, ...]:
    """Return the labels of the added apps."""
    return tuple(AppConfig.create(entry).label for entry in settings.PLATFORM_APPS)


def set_up() -> None:
    """Set Django up; raise SettingsError with the reason for an unusable app."""
    configs = dict(checked_apps())
    try:
        django.setup()
        for config in configs.values():
            # Its URLs would only be imported by the first request, too late to refuse.
            if module_has_submodule(config.module, "api"):
                import_module(f"{config.name}.api")
    except Exception as error:
        for entry, config in configs.items():
            if place := _place(error, Path(config.path)):
                raise _refusal(entry, f"fails: {place}: {_reason(error)}") from error
        raise


def checked_apps() -> Iterator[tuple[str, AppConfig]]:
    """Yield each entry with its app; raise SettingsError for an invalid name."""
    added: tuple[str, ...] = settings.PLATFORM_APPS
    taken: dict[str, str] = {}
    for entry in settings.INSTALLED_APPS:
        try:
            config = AppConfig.create(entry)
        except Exception as error:
            if entry not in added:
                raise
            raise _refusal(entry, _why_not_imported(entry, error)) from error
        if entry in added:
            if entry.partition(".")[0] in sys.stdlib_module_names:
                raise _refusal(entry, "is a module of Python, not an app")
            if config.label in taken:
                raise _refusal(entry, _taken(entry, config.label, taken[config.label]))
            yield entry, config
        taken[config.label] = entry


def _taken(entry: str, label: str, other: str) -> str:
    if entry == other:
        return "is named twice or is part of the product; keep one"
    return (
        f"has the label '{label}', which the app '{other}' has too; set another one "
        "as `label` in its AppConfig"
    )


def _why_not_imported(entry: str, error: Exception) -> str:
    package = entry.partition(".")[0]
    spec = _spec(package)
    if spec is None:
        return (
            f"is not a module that can be imported; put its folder into "
            f"{active().apps_folder} (Platform:AppsPath), or correct the name"
        )
    for folder in spec:
        if place := _place(error, Path(folder)):
            return f"cannot be imported: {place}: {_reason(error)}"
    return f"cannot be imported: {_reason(error)}"


def _spec(package: str) -> list[str] | None:
    """Return the folders of a package, None if there is no such module."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    return None if spec is None else list(spec.submodule_search_locations or ())


def _place(error: Exception, folder: Path) -> str:
    """Return file and line of an added app in which an exception occurred, empty if in
    none."""
    if isinstance(error, SyntaxError) and error.filename:
        places = [(error.filename, error.lineno)]
    else:
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno) for frame in reversed(frames)]
    for name, line in places:
        if Path(name).is_relative_to(folder):
            return f"{name}, line {line}"
    return ""


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(".")


def _refusal(entry: str, why: str) -> SettingsError:
    source = active().settings.source(KEY)
    return SettingsError(f"{KEY} holds '{entry}' ({source}), which {why}.")
