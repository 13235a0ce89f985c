"""The registry of data processors, filled by every app's module or package
`processors`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pkgutil import walk_packages
from types import MappingProxyType
from typing import TypeVar

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import autodiscover_modules
from rest_framework.fields import empty

from platform_site.processing.processor import DataProcessor
from platform_site.processing.values import INPUTS

_Class = TypeVar("_Class", bound=type[DataProcessor])
_processors: dict[str, type[DataProcessor]] = {}


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


def processors() -> Mapping[str, type[DataProcessor]]:
    """Return all processors by name, in alphabetical order (IMP-201)."""
    return MappingProxyType(dict(sorted(_processors.items())))


@contextmanager
def registered(processor: type[DataProcessor]) -> Iterator[None]:
    """Register another processor inside the block, for tests."""
    register(processor)
    try:
        yield
    finally:
        del _processors[processor.__name__]
