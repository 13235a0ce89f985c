"""A reader that turns the bytes of a package into JSON values, one at a time, in
bounded memory.

A window of text moves over the bytes, and the scanner of the standard library reads
whole values from it: exact decimals, no duplicate keys, places in bytes.
"""

from __future__ import annotations

import codecs
import json
from io import SEEK_SET
from typing import Any, BinaryIO, NoReturn

import msgspec

from importer.package.duplicate_keys import DuplicateKey
from importer.package.hashing import canonical
from importer.package.json_values import (
    MAX_DIGITS,
    RefusedValue,
    long_number,
    plain_reason,
    scan,
    scan_unchecked,
    too_deep,
)
from importer.package.translation import gettext as _

CHUNK = 1 << 16
_BOM = codecs.BOM_UTF8
# The maximum length of a number, literal or escape cut off by the window's end.
_UNFINISHED = 16
_SPACE = " \t\n\r"
# The bytes that start a character in UTF-8; others continue one.
_BEGINNING = bytes(byte for byte in range(256) if byte & 0xC0 != 0x80)


class Place(msgspec.Struct, frozen=True):
    """A place in a text: line and column, counted from one in characters."""

    line: int
    column: int


class JsonError(Exception):
    """An error in the JSON text, with its byte offset in the source.

    ``syntax`` is false if the text is JSON but has a refused value.
    """

    def __init__(self, reason: str, offset: int, *, syntax: bool = True) -> None:
        self.reason = reason
        self.offset = offset
        self.syntax = syntax
        super().__init__(reason)


class JsonStream:
    """A reader of JSON values and punctuation from a seekable binary source."""

    def __init__(
        self, source: BinaryIO, start: int = 0, *, line: int = 1, chunk: int = CHUNK
    ) -> None:
        if start == 0:
            source.seek(0, SEEK_SET)
            start = len(_BOM) if source.read(len(_BOM)) == _BOM else 0
        source.seek(start, SEEK_SET)
        self._source = source
        self._chunk = chunk
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._fed = start
        self._text = ""
        self._ascii = True
        self._at = 0
        self._eof = False
        # The byte offset of character ``_counted`` of the window.
        self._counted = 0
        self._bytes = start
        # The line of character ``_lined`` of the window.
        self._lined = 0
        self._line = line

    def resume(self) -> None:
        """Continue where reading stopped, after something else has read the source."""
        self._source.seek(self._fed, SEEK_SET)

    def place(self) -> int:
        """Return the byte offset of the next character, counted from the last known
        one.

        Measuring the whole prefix would make non-ASCII text several times slower.
        """
        step = self._at - self._counted
        if step and not self._ascii:
            step = len(self._text[self._counted : self._at].encode())
        self._bytes += step
        self._counted = self._at
        return self._bytes

    def line(self) -> int:
        """Return the line of the next character, counted from the last known one."""
        self._line += self._text.count("\n", self._lined, self._at)
        self._lined = self._at
        return self._line

    def peek(self) -> str:
        """Return the next character that isn't white space, ``""`` at the end."""
        while True:
            text = self._text
            for at in range(self._at, len(text)):
                if text[at] not in _SPACE:
                    self._at = at
                    return text[at]
            self._at = len(text)
            if self._eof:
                return ""
            self._fill()

    def take(self, expected: str, reason: str) -> None:
        """Consume an expected character; raise JsonError with the reason otherwise."""
        if self.peek() != expected:
            self.fail(reason)
        self._at += 1

    def fail(self, reason: str) -> NoReturn:
        """Raise JsonError at the next character."""
        if not self.peek():
            reason = _("the JSON ends too early: %(reason)s") % {"reason": reason}
        raise JsonError(reason, self.place())

    def value(self) -> Any:
        """Read one value, including leading white space."""
        if not self.peek():
            self.fail(_("a value is missing"))
        while True:
            try:
                value, end = scan(self._text, self._at)
            except StopIteration as stop:
                reason, wrong, open_end = _("a value is missing"), stop.value, False
            except json.JSONDecodeError as error:
                reason, wrong = error.msg, error.pos
                open_end = error.msg.startswith("Unterminated string")
            except (RefusedValue, DuplicateKey) as error:
                self.refuse(str(error))
            except RecursionError:
                self.refuse(too_deep())
            else:
                # A number may continue after the window's end, as 1E+ does.
                whole = self._eof or self._text[end - 1] in '}]"'
                if whole or end < len(self._text) - 2:
                    self._at = end
                    return value
                reason, wrong, open_end = "", end, True
            hopeless = wrong < len(self._text) - _UNFINISHED and not open_end
            if self._eof or hopeless:
                self._at = wrong
                raise JsonError(
                    plain_reason(reason, ended=self._eof_at(wrong)), self.place()
                )
            self._fill()

    def written_value(self) -> tuple[Any, bytes]:
        """Read one value as ``value`` does, and return it with its canonical form.

        Objects take half the time. A duplicate key shows in the number of quotation
        marks, since the canonical form has each key once; texts with escapes are left
        to ``value``, as is everything it may have to refuse.
        """
        if self.peek() == "{":
            text, at = self._text, self._at
            try:
                value, end = scan_unchecked(text, at)
                written = canonical(value)
            except (
                ArithmeticError,
                RecursionError,
                StopIteration,
                ValueError,
                RefusedValue,
            ):
                end = at
            if (
                end > at
                and text.find("\\", at, end) < 0
                and text.count('"', at, end) == written.count(b'"')
                and (end - at <= MAX_DIGITS or not long_number.search(text, at, end))
            ):
                self._at = end
                return value, written
        value = self.value()
        return value, canonical(value)

    def key(self) -> str:
        """Read the key of a member and its colon."""
        if self.peek() != '"':
            self.fail(_("a key in double quotes is missing"))
        key = self.value()
        self.take(":", _("a colon is missing after the key"))
        return str(key)

    def opened(self, opening: str, closing: str, reason: str = "") -> bool:
        """Consume an opening bracket, and the closing one if the value is empty."""
        self.take(opening, reason)
        if self.peek() != closing:
            return True
        self._at += 1
        return False

    def more(self, closing: str) -> bool:
        """Consume the comma or closing bracket after a value; return whether it was a
        comma."""
        found = self.peek()
        if found == ",":
            self._at += 1
            return True
        sentence = _('a comma or "%(closing)s" is missing')
        self.take(closing, sentence % {"closing": closing})
        return False

    def refuse(self, reason: str) -> NoReturn:
        """Refuse the value that starts at the next character."""
        raise JsonError(reason, self.place(), syntax=False)

    def _eof_at(self, wrong: int) -> bool:
        return self._eof and wrong >= len(self._text.rstrip()) - 1

    def _fill(self) -> None:
        """Move the window on: drop what was read, and load at least as much again."""
        self.place()
        self.line()
        rest = self._text[self._at :]
        size = max(self._chunk, len(rest))
        data = self._source.read(size)
        self._fed += len(data)
        self._eof = not data
        self._text = rest + self._decode(data, final=not data)
        self._ascii = self._text.isascii()
        self._at = self._counted = self._lined = 0

    def _decode(self, data: bytes, *, final: bool = False) -> str:
        waiting = len(self._decoder.getstate()[0])
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            offset = self._fed - len(data) - waiting + error.start
            reason = _("the file is not UTF-8 text")
            raise JsonError(reason, max(offset, 0)) from None


def place_of(source: BinaryIO, offset: int) -> Place:
    """Return the line and column of a byte offset; reads the source again."""
    source.seek(0, SEEK_SET)
    line, column, left, first = 1, 1, offset, True
    while left > 0:
        data = source.read(min(left, CHUNK))
        if not data:
            break
        left -= len(data)
        if first:
            data, first = data.removeprefix(_BOM), False
        line += data.count(b"\n")
        cut = data.rfind(b"\n")
        column = _characters(data[cut + 1 :]) + (column if cut < 0 else 1)
    return Place(line, column)


def _characters(data: bytes) -> int:
    """Return the number of characters that start in some UTF-8 bytes."""
    return len(data) - len(data.translate(None, delete=_BEGINNING))
