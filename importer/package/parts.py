"""A part of a package: some of its objects, and the objects that they refer to, each in
the text that it has in the package."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

import msgspec

from importer.package.hashing import canonical
from importer.package.json_stream import JsonStream
from importer.package.references import as_reference

# With them, an import of a part would take the rest for gone.
_OF_WHOLE_STEPS = frozenset({"onMissing", "maxDelete"})
_ITEMS = "items"


class _Step(msgspec.Struct):
    """The keys of a step except its objects, and the numbers of these."""

    keys: dict[str, Any]
    objects: range


class _Outline:
    """Where the objects of a package are; the objects themselves aren't in memory."""

    def __init__(self, source: BinaryIO) -> None:
        self.header: dict[str, Any] = {}
        self.steps: list[_Step] = []
        self._source = source
        self._starts, self._lengths = array("Q"), array("Q")
        self._numbers: dict[str, int] = {}
        self._stream = JsonStream(source)
        for key in self._members():
            if key == "steps":
                for _ in self._elements():
                    self.steps.append(self._step())
            else:
                self.header[key] = self._stream.value()

    def text(self, number: int) -> bytes:
        """Return the text of an object."""
        self._source.seek(self._starts[number])
        return self._source.read(self._lengths[number])

    def with_references(self, numbers: Collection[int]) -> set[int]:
        """Return objects and those that they refer to, however far."""
        found, waiting = set(numbers), list(numbers)
        while waiting:
            # Only texts are of interest, and a number may have any length.
            value = json.loads(self.text(waiting.pop()), parse_int=str, parse_float=str)
            for key in _referred(value):
                number = self._numbers.get(key)
                if number is not None and number not in found:
                    found.add(number)
                    waiting.append(number)
        return found

    def _step(self) -> _Step:
        keys: dict[str, Any] = {}
        objects = range(0)
        for key in self._members():
            if key == _ITEMS:
                first = len(self._starts)
                for _ in self._elements():
                    self._object()
                objects = range(first, len(self._starts))
            else:
                keys[key] = self._stream.value()
        return _Step(keys, objects)

    def _object(self) -> None:
        stream = self._stream
        stream.peek()
        start = stream.place()
        value = stream.value()
        name = value.get("$id")
        if isinstance(name, str):
            self._numbers[name] = len(self._starts)
        self._starts.append(start)
        self._lengths.append(stream.place() - start)

    def _members(self) -> Iterator[str]:
        more = self._stream.opened("{", "}")
        while more:
            yield self._stream.key()
            more = self._stream.more("}")

    def _elements(self) -> Iterator[None]:
        more = self._stream.opened("[", "]")
        while more:
            yield None
            more = self._stream.more("]")


def write_part(source: BinaryIO, numbers: Collection[int], out: BinaryIO) -> None:
    """Write a package with some objects of a valid one, numbered from 0 over all steps.

    The header is that of the whole package. Steps have the rest of their keys, but
    nothing that would delete rows which aren't in the part.
    """
    outline = _Outline(source)
    chosen = outline.with_references(numbers)
    out.write(b"{\n")
    for key, value in outline.header.items():
        out.write(b"  %s: %s,\n" % (canonical(key), canonical(value)))
    out.write(b'  "steps": [')
    between = b"\n"
    for step in outline.steps:
        objects = [number for number in step.objects if number in chosen]
        if objects:
            out.write(between + b"    {")
            between = b",\n"
            for key, value in step.keys.items():
                if key not in _OF_WHOLE_STEPS:
                    out.write(b"%s: %s, " % (canonical(key), canonical(value)))
            out.write(b'"items": [')
            for place, number in enumerate(objects):
                out.write(b",\n      " if place else b"\n      ")
                out.write(outline.text(number))
            out.write(b"\n    ]}")
    out.write(b"\n  ]\n}\n")


def _referred(value: Any) -> Iterator[str]:
    """Yield the ``$id`` that a value refers to, at any depth."""
    reference = as_reference(value)
    if reference is not None:
        yield reference[1]
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _referred(inner)
