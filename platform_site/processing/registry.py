"""The registry of data processors, filled by every app's module or package
`processors`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pkgutil import walk_packages
from types import MappingProxyType
from typing import Protocol, TypeVar

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import autodiscover_modules
from rest_framework.fields import empty

from platform_site.processing.processor import DataProcessor
from platform_site.processing.values import INPUTS

_Class = TypeVar("_Class", bound=type[DataProcessor])
_processors: dict[str, type[DataProcessor]] = {}


class ProcessorProvider(Protocol):
    """A source of processors that come and go while the server runs."""

    def find(self, name: str) -> type[DataProcessor] | None:
        """Return the processor of a name, None if there is none now."""

    def all(self) -> Iterable[type[DataProcessor]]:
        """Return all processors that there are now."""


_providers: list[ProcessorProvider] = []
# Those found in this process, by name: enough to show what one of them returned.
_found: dict[str, type[DataProcessor]] = {}


def discover() -> None:
    """Import every app's `processors`, including the modules of a package."""
    autodiscover_modules("processors")
    for config in apps.get_app_configs():
        name = f"{config.name}.processors"
        inside = getattr(sys.modules.get(name), "__path__", ())
        for module in walk_packages(inside, f"{name}."):
            import_module(module.name)


def register(processor: _Class) -> _Class:
    """Register a processor under the name of its class."""
    name = processor.__name__
    if _processors.get(name, processor) is not processor:
        raise ImproperlyConfigured(f"There is a data processor {name} already.")
    for wire, field in processor.Input().fields.items():
        if not isinstance(field, INPUTS):
            raise ImproperlyConfigured(
                f"The input {wire} of {name} is a {type(field).__name__}, which "
                "neither pages nor packages know; use a field of processing.values."
            )
        if field.default is empty:
            raise ImproperlyConfigured(
                f"The input {wire} of {name} needs a default: a job can't ask for it."
            )
    _processors[name] = processor
    return processor


def register_provider(provider: ProcessorProvider) -> None:
    """Register a provider; a registered class of the same name takes precedence."""
    _providers.append(provider)


def registered_processors() -> Mapping[str, type[DataProcessor]]:
    """Return the registered classes by name, in alphabetical order, without queries."""
    return MappingProxyType(dict(sorted(_processors.items())))


def processors() -> Mapping[str, type[DataProcessor]]:
    """Return all processors by name, in alphabetical order (IMP-201).

    It asks the providers, which query the database.
    """
    provided = {each.__name__: each for one in _providers for each in one.all()}
    _found.update(provided)
    return MappingProxyType(dict(sorted({**provided, **_processors}.items())))


def find_processor(name: str) -> type[DataProcessor] | None:
    """Return a processor by its name, None if there is none; it asks the providers only
    if no class is registered."""
    if name in _processors:
        return _processors[name]
    for provider in _providers:
        found = provider.find(name)
        if found is not None:
            _found[name] = found
            return found
    return None


def known_processor(name: str) -> type[DataProcessor] | None:
    """Return a processor by its name to show its results, also if it may be gone.

    So a list of many results needs one query for each name.
    """
    return _found.get(name) or find_processor(name)


@contextmanager
def registered(processor: type[DataProcessor]) -> Iterator[None]:
    """Register another processor inside the block, for tests."""
    register(processor)
    try:
        yield
    finally:
        del _processors[processor.__name__]
