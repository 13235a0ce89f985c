"""Which data processors there are: every app's module `processors` puts its own in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured
from rest_framework.fields import empty

from platform_site.processing.processor import DataProcessor
from platform_site.processing.values import INPUTS

_Class = TypeVar("_Class", bound=type[DataProcessor])
_processors: dict[str, type[DataProcessor]] = {}


def register(processor: _Class) -> _Class:
    """Make a processor known under the name of its class."""
    name = processor.__name__
    if _processors.get(name, processor) is not processor:
        raise ImproperlyConfigured(f"There is a data processor {name} already.")
    for wire, field in processor.Input().fields.items():
        if not isinstance(field, INPUTS):
            raise ImproperlyConfigured(
                f"The input {wire} of {name} is a {type(field).__name__}, which neither "
                "pages nor packages know; use a field of processing.values."
            )
        if field.default is empty:
            raise ImproperlyConfigured(
                f"The input {wire} of {name} needs a default: a job asks nobody."
            )
    _processors[name] = processor
    return processor


def processors() -> Mapping[str, type[DataProcessor]]:
    """Return every processor by its name, in alphabetical order (IMP-201)."""
    return MappingProxyType(dict(sorted(_processors.items())))


@contextmanager
def registered(processor: type[DataProcessor]) -> Iterator[None]:
    """Know one processor more inside the block; for tests."""
    register(processor)
    try:
        yield
    finally:
        del _processors[processor.__name__]
