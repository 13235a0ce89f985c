"""The encoding of a text file: told by its first bytes, by its being valid UTF-8, or by
which one makes words of its letters."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from charset_normalizer import from_bytes

from importer.package.translation import gettext as _
from importer.tables.errors import TableError

_PIECE = 1 << 20
_START = 4096
_SAMPLE = 1 << 16
# Those of the regions whose languages the product speaks, and of their neighbours; the
# first ones are the most usual.
ENCODINGS = [
    "cp1252",
    "cp1250",
    "cp1251",
    "koi8_r",
    "cp866",
    "cp850",
    "mac_roman",
    "mac_cyrillic",
]
_CENTRAL = frozenset(
    ("Polish", "Czech", "Slovak", "Hungarian", "Croatian", "Slovene", "Romanian")
)
_LETTER = r"[^\W\d_]"
_CYRILLIC, _LATIN = r"[\u0400-\u04ff]", r"[A-Za-z\u00c0-\u024f]"
# Signs that lists have beside letters, but never between two of them.
_SIGNS = "€£§°²½¼¾µ®™©×«»„“”‘’–—…№±·"
_ODD = re.compile(
    # no character, or a sign that words don't have
    rf"\ufffd|(?<={_LETTER})[^\x00-\x7f\w\s{_SIGNS}]|[^\x00-\x7f\w\s{_SIGNS}](?={_LETTER})"
    rf"|(?<={_LETTER})[^\x00-\x7f\w\s](?={_LETTER})|[\u00b2\u00b3\u00b9](?={_LETTER})"
    # two alphabets in one word, or a capital letter in its middle
    rf"|(?<={_CYRILLIC}){_LATIN}|(?<={_LATIN}){_CYRILLIC}"
    r"|(?<=[a-zß-öø-ÿа-яё])(?=[^\x00-\x7f])[À-ÖØ-ÞА-ЯЁŚŻŹŁĄĘĆŃ]"
    # letters of no language around
    r"|[ŕĺŔĹþÞðÐýÝÿŸƒªºЂЃѓЉЊЌЋЏђљњќћџЎўЄєЇїІіҐґ]"
)
_MEASURE = re.compile(r"\b[cdkm]?m[²³]")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def is_text_encoding(name: str) -> bool:
    """Return whether an encoding is known, and is one of texts."""
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return True


def has_utf8_mark(stream: BinaryIO) -> bool:
    """Return whether a file begins with the byte order mark of UTF-8."""
    stream.seek(0)
    return stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


def encoding_of(stream: BinaryIO) -> str:
    """Return the encoding of a text file, read to its end; raise TableError if it isn't
    a text."""
    stream.seek(0)
    start = stream.read(4)
    for mark, encoding in _BOMS:
        if start.startswith(mark):
            return encoding
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    zeros = odd = 0
    high = bytearray()
    is_utf8 = True
    for piece in iter(lambda: stream.read(_PIECE), b""):
        zeros += piece.count(0)
        odd += piece[1::2].count(0)
        if is_utf8:
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                is_utf8 = False
        if len(high) < _SAMPLE and not piece.isascii():
            high += b"\n".join(b for b in piece.splitlines() if not b.isascii())
    if zeros:
        size = stream.tell()
        stream.seek(0)
        return _without_mark(zeros * 4 >= size, odd * 2 > zeros, stream.read(_START))
    if is_utf8 and not decoder.getstate()[0]:
        return "utf-8"
    return _guessed(bytes(high[:_SAMPLE]))


def _without_mark(many: bool, odd: bool, start: bytes) -> str:  # noqa: FBT001
    """Return the kind of UTF-16 of a file with zeros but no byte order mark."""
    encoding = "utf-16-le" if odd else "utf-16-be"
    text = start.decode(encoding, "replace")
    if not many or any(char < " " and char not in "\t\r\n" for char in text):
        raise TableError(_("the file isn't a table: it has bytes that no text has"))
    return encoding


def _guessed(sample: bytes) -> str:
    """Return the encoding in which the fewest characters are odd.

    Charset-normalizer decides between those that are equally good; it knows languages,
    but a price list has few words of any.
    """
    odd = {name: _oddness(sample.decode(name, "replace")) for name in ENCODINGS}
    least = min(odd.values())
    equal = [name for name in ENCODINGS if odd[name] == least]
    if len(equal) == 1:
        return equal[0]
    best = from_bytes(sample, cp_isolation=equal).best()
    if best is None or best.encoding not in equal:
        return equal[0]
    # Western and Central European files often differ in no letter of a short list.
    western = best.encoding == "cp1250" and best.language not in _CENTRAL
    return equal[0] if western else best.encoding


def _oddness(text: str) -> int:
    return len(_ODD.findall(_MEASURE.sub("", text)))
